// Follows what a client does after a disturbed answer. Times are for people: no verdict depends on them.

import { createHash } from 'node:crypto';
import { type DisturbedAnswer, LOST_STREAMS, SHORTEST_HALF } from '../../exchange/disturbed.ts';
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { holdsText } from '../../exchange/http/event-stream.ts';
import { headerPairs } from '../../exchange/http/headers.ts';

import type { Disturbance } from './disturbances.ts';
import { jsonOf, type ServiceAnswer, streamPieces, textOfEvents } from './send-disturbed.ts';

/** Milliseconds of `Retry-After` in a rate limit, and how much earlier clocks may tick. */
const RETRY_AFTER = { asked: 1000, tolerance: 50 } as const;

/** One disturbed request while the session goes on. */
interface Followed {
  readonly disturbance: Disturbance;
  readonly request: string;
  readonly key: string;
  readonly ids: string[];
  /** The text that the client got of a stream that was cut; empty for none. */
  readonly partial: string;
  /** When the client could know that it will not get the answer; null as long as it may still get all of it. */
  lostAt: number | null;
  /** A repetition was answered as usual: equal requests that come then are further ones. */
  isOver: boolean;
  left: number;
  retries: number;
  retriedAfter: number | null;
  wentOn: boolean;
  usedHalf: boolean;
}

/** A request among those that were disturbed before it. */
export interface FollowedArrival {
  /** The disturbance that goes on for it, where it is a repetition and more are due; null else. */
  readonly due: Disturbance | null;
  /** The disturbed requests that it repeats. */
  readonly repeats: readonly Followed[];
}

/** The answer of a service, and whether the client gets it as it is. */
interface ServiceTurn {
  readonly answer: ServiceAnswer;
  readonly passed: boolean;
}

/** Remembers disturbed requests, and looks for them in those that follow. */
export class Reactions {
  readonly #followed: Followed[] = [];

  /** A request arrives: which lost answers it asks for again, and the disturbance that goes on for it. */
  arrives(request: SeenRequest): FollowedArrival {
    const key = keyOf(request);
    const repeats: Followed[] = [];
    let due: Disturbance | null = null;
    for (const one of this.#followed) {
      this.#lookForHalf(one, request);
      // A request that was on its way when the answer was lost does not react to it.
      if (one.lostAt === null || request.at < one.lostAt) continue;
      if (one.key !== key) {
        one.wentOn = true;
        continue;
      }
      // Once a session has gone on, an equal reading, or the creation of an equal object, may be meant as one more.
      if (one.isOver || (one.wentOn && (request.method === 'GET' || one.ids.length > 0))) continue;
      one.retries += 1;
      one.retriedAfter ??= Math.round(request.at - one.lostAt);
      repeats.push(one);
      if (one.left > 0) {
        one.left -= 1;
        due = one.disturbance;
      }
    }
    return { due, repeats };
  }

  #lookForHalf(one: Followed, { body }: SeenRequest): void {
    if (one.partial.trim().length < SHORTEST_HALF) return;
    if (holdsText(jsonOf(body.toString('utf8')), one.partial)) one.usedHalf = true;
  }

  /**
   * A fresh request is disturbed. `answer`: what the service said; null where it was not asked. The function that it returns is to be called
   * when the client can know that the answer is lost.
   */
  disturbed(
    disturbance: Disturbance,
    request: SeenRequest,
    answer: ServiceAnswer | null,
  ): (at: number) => void {
    const followed: Followed = {
      disturbance,
      request: `${request.method} ${request.target.split('?', 1)[0]}`,
      key: keyOf(request),
      ids: answer === null ? [] : idsMade(request, answer),
      partial:
        answer !== null && LOST_STREAMS.includes(disturbance.name)
          ? textOfEvents(streamPieces(answer.body, disturbance).first)
          : '',
      lostAt: null,
      isOver: false,
      left: disturbance.times - 1,
      retries: 0,
      retriedAfter: null,
      wentOn: false,
      usedHalf: false,
    };
    this.#followed.push(followed);
    return (at) => {
      followed.lostAt ??= at;
    };
  }

  /**
   * The service answered a request that may be a repetition of a creation: the id of the object that exists already by the
   * first one; null for none.
   */
  answered(
    { repeats }: FollowedArrival,
    request: SeenRequest,
    { answer, passed }: ServiceTurn,
  ): string | null {
    const made = idsMade(request, answer);
    let before: string | null = null;
    for (const one of repeats) {
      const [first] = one.ids;
      if (first !== undefined && made.some((id) => id !== first)) before ??= first;
      one.ids.push(...made);
      if (passed && answer.status < 300) one.isOver = true;
    }
    return before;
  }

  /** The reactions of the client, in the order of the disturbances. */
  report(): readonly DisturbedAnswer[] {
    return this.#followed.map((one) => {
      const { disturbance, request, retries, retriedAfter, wentOn, usedHalf, ids } = one;
      const isAsked = disturbance.name === 'rate-limit' && retriedAfter !== null;
      const distinct = [...new Set(ids)];
      return {
        disturbance: disturbance.name,
        request,
        retries,
        retriedAfter,
        honoured: isAsked ? retriedAfter >= RETRY_AFTER.asked - RETRY_AFTER.tolerance : null,
        wentOn,
        createdTwice: distinct.length > 1 ? distinct : [],
        usedHalf,
      };
    });
  }
}

/** The row of a disturbance that no request met. */
export function neverMet({ name }: Disturbance): DisturbedAnswer {
  return {
    disturbance: name,
    request: null,
    retries: 0,
    retriedAfter: null,
    honoured: null,
    wentOn: false,
    createdTwice: [],
    usedHalf: false,
  };
}

// Which requests are equal, and which objects they made.

/** A request as it is compared with later ones. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Name and value in turn, as on the wire. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** When its head arrived. Milliseconds, by a clock that never goes back. */
  readonly at: number;
}

/** Equal for a request and its repetitions: a form has another boundary each time. */
export function keyOf({ method, target, headers, body }: SeenRequest): string {
  const boundary = mediaTypeOf(headerPairs(headers))?.boundary ?? null;
  const content =
    boundary === null || boundary === ''
      ? body
      : Buffer.from(body.toString('latin1').replaceAll(`--${boundary}`, '--boundary'), 'latin1');
  return `${method} ${target} ${createHash('sha256').update(content).digest('hex')}`;
}

/** The id of the object that a POST made and that stays there; texts of models do not stay. */
export function idsMade({ method, target }: SeenRequest, { status, body }: ServiceAnswer): string[] {
  if (method !== 'POST' || status >= 300 || /\/(completions|moderations)(\?|$)/.test(target)) return [];
  const id = /"id"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return id === undefined ? [] : [id];
}
