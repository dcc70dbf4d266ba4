// Follows what a client does after a disturbed response. Times are informational: no verdict depends on them.

import { createHash } from 'node:crypto';
import { type DisturbedAnswer, LOST_STREAMS, MIN_REUSED_LENGTH } from '../../exchange/disturbed.ts';
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { holdsText } from '../../exchange/http/event-stream.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { parsedJson } from '../../schemas/json.ts';

import type { Disturbance } from './disturbances.ts';
import { divideStream, type ServiceAnswer, textOfEvents } from './send-disturbed.ts';

/** `Retry-After` of a rate limit, and the tolerance for clocks, in milliseconds. */
const RETRY_AFTER = { asked: 1000, tolerance: 50 } as const;

/** A request, for comparison with later ones. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  /** Alternating names and values, as on the wire. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** When its head arrived. Milliseconds, by a monotonic clock. */
  readonly at: number;
}

/** A disturbed request, and the reactions to it so far. */
interface DisturbedRequest {
  readonly disturbance: Disturbance;
  readonly key: string;
  /** Ids of the objects that it and its retries created. */
  readonly ids: string[];
  /** The text that the client received of a truncated stream; empty if there was none. */
  readonly partial: string;
  /** When the client could tell that it would not get the response; null while it may still get all of it. */
  lostAt: number | null;
  /** Whether a retry got an undisturbed response; equal requests after it are new ones. */
  isOver: boolean;
  /** Number of requests still to be disturbed. */
  left: number;
  /** The answer as reported, except for `honoured` and `createdTwice`. */
  readonly answer: { -readonly [K in keyof DisturbedAnswer]: DisturbedAnswer[K] };
}

/** How a request relates to the ones that were disturbed before it. */
export interface RequestCount {
  /** The disturbance to repeat, if this is a retry and more are due; null otherwise. */
  readonly due: Disturbance | null;
  readonly repeats: readonly DisturbedRequest[];
}

/** Remembers disturbed requests, and recognises their retries. */
export class Reactions {
  readonly #disturbed: DisturbedRequest[] = [];

  /** Registers a request. Returns the disturbed requests that it retries, and whether to disturb it as well. */
  arrives(request: SeenRequest): RequestCount {
    const key = keyOf(request);
    const repeats: DisturbedRequest[] = [];
    let due: Disturbance | null = null;
    for (const one of this.#disturbed) {
      const mayUseHalf = one.partial.trim().length >= MIN_REUSED_LENGTH;
      if (mayUseHalf && holdsText(parsedJson(request.body.toString('utf8')), one.partial))
        one.answer.usedHalf = true;
      // A request that was in flight when the response was lost does not react to it.
      if (one.lostAt === null || request.at < one.lostAt) continue;
      if (one.key !== key) {
        one.answer.wentOn = true;
        continue;
      }
      // Once a session has continued, an equal GET or creation may be a new request.
      if (one.isOver || (one.answer.wentOn && (request.method === 'GET' || one.ids.length > 0))) continue;
      one.answer.retries += 1;
      one.answer.retriedAfter ??= Math.round(request.at - one.lostAt);
      repeats.push(one);
      if (one.left > 0) {
        one.left -= 1;
        due = one.disturbance;
      }
    }
    return { due, repeats };
  }

  /**
   * Registers the disturbance of a new request. `answer`: the response of the service; null if it did not receive the request. Call
   * the returned function when the client can tell that the response is lost.
   */
  disturbed(
    disturbance: Disturbance,
    request: SeenRequest,
    answer: ServiceAnswer | null,
  ): (at: number) => void {
    const isCut = answer !== null && LOST_STREAMS.includes(disturbance.name);
    const disturbed: DisturbedRequest = {
      disturbance,
      key: keyOf(request),
      ids: answer === null ? [] : createdIds(request, answer),
      partial: isCut ? textOfEvents(divideStream(answer.body, disturbance).first) : '',
      lostAt: null,
      isOver: false,
      left: disturbance.times - 1,
      answer: {
        ...neverMet(disturbance),
        request: `${request.method} ${request.target.split('?', 1)[0]}`,
      },
    };
    this.#disturbed.push(disturbed);
    return (at) => {
      disturbed.lostAt ??= at;
    };
  }

  /**
   * Handles the response of the service to a request that may repeat a creation. Returns the id of the object that
   * the first one created if this one created another; null otherwise. `passed`: whether the client gets the
   * response undisturbed.
   */
  recordResponse(
    { repeats }: RequestCount,
    request: SeenRequest,
    { answer, passed }: { readonly answer: ServiceAnswer; readonly passed: boolean },
  ): string | null {
    const created = createdIds(request, answer);
    let before: string | null = null;
    for (const one of repeats) {
      const [first] = one.ids;
      if (first !== undefined && created.some((id) => id !== first)) before ??= first;
      one.ids.push(...created);
      if (passed && answer.status < 300) one.isOver = true;
    }
    return before;
  }

  report(): readonly DisturbedAnswer[] {
    return this.#disturbed.map(({ answer, ids }) => {
      const { disturbance, retriedAfter } = answer;
      const isRateLimit = disturbance === 'rate-limit' && retriedAfter !== null;
      const created = [...new Set(ids)];
      return {
        ...answer,
        honoured: isRateLimit ? retriedAfter >= RETRY_AFTER.asked - RETRY_AFTER.tolerance : null,
        createdTwice: created.length > 1 ? created : [],
      };
    });
  }
}

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

/** A key that a request and its retries share; ignores the boundary of a form, which is different each time. */
function keyOf({ method, target, headers, body }: SeenRequest): string {
  const boundary = mediaTypeOf(headerPairs(headers))?.boundary ?? null;
  const content =
    boundary === null || boundary === ''
      ? body
      : Buffer.from(body.toString('latin1').replaceAll(`--${boundary}`, '--boundary'), 'latin1');
  return `${method} ${target} ${createHash('sha256').update(content).digest('hex')}`;
}

/** The id of the object that a POST created on the service, which does not store texts of models. */
function createdIds({ method, target }: SeenRequest, { status, body }: ServiceAnswer): string[] {
  if (method !== 'POST' || status >= 300 || /\/(completions|moderations)(\?|$)/.test(target)) return [];
  const id = /"id"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return id === undefined ? [] : [id];
}
