// Follows what a client does after a disturbed answer. Times are for people: no verdict depends on them.
import { createHash } from 'node:crypto';
import { type DisturbedAnswer, LOST_STREAMS, SHORTEST_HALF } from '../../exchange/disturbed.ts';
import type { Json } from '../../exchange/http/body.ts';
import { holdsText, streamedText } from '../../exchange/http/streamed-text.ts';
import type { Disturbance } from './disturbances.ts';
import type { ServiceAnswer } from './send-disturbed.ts';

/** A request as it is compared with later ones. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: Buffer;
  /** Milliseconds, by a clock that never goes back. */
  readonly at: number;
}

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
  /** When the disturbed answer began: a client may learn from its head that it will not get the rest. */
  at: number;
  left: number;
  retries: number;
  retriedAfter: number | null;
  wentOn: boolean;
  usedHalf: boolean;
}

/** Remembers disturbed requests, and looks for them in those that follow. */
export class Reactions {
  readonly #followed: Followed[] = [];

  /** A request arrives: the disturbance that goes on for it, where it is a repetition and more are due; null else. */
  arrives(request: SeenRequest): Disturbance | null {
    const key = keyOf(request);
    let due: Disturbance | null = null;
    for (const one of this.#followed) {
      if (
        one.partial.length >= SHORTEST_HALF &&
        holdsText(jsonOf(request.body.toString('utf8')), one.partial)
      )
        one.usedHalf = true;
      if (one.key !== key) {
        one.wentOn = true;
        continue;
      }
      // The same reading later in a session is one of many; a creation that comes again is always a repetition.
      if (one.wentOn && request.method === 'GET') continue;
      one.retries += 1;
      one.retriedAfter ??= Math.round(request.at - one.at);
      if (one.left > 0) {
        one.left -= 1;
        due = one.disturbance;
      }
    }
    return due;
  }

  /** A fresh request is disturbed at a time. `answer`: what the service said; null where it was not asked. */
  disturbed(disturbance: Disturbance, request: SeenRequest, answer: ServiceAnswer | null, at: number): void {
    this.#followed.push({
      disturbance,
      request: `${request.method} ${request.target.split('?', 1)[0]}`,
      key: keyOf(request),
      ids: answer === null ? [] : createdIds(request, answer),
      partial:
        answer !== null && LOST_STREAMS.includes(disturbance.name)
          ? textOf(answer.body, disturbance.after)
          : '',
      at,
      left: disturbance.times - 1,
      retries: 0,
      retriedAfter: null,
      wentOn: false,
      usedHalf: false,
    });
  }

  /**
   * The service answered a request that may be a repetition of a creation: the id of the object that exists already by the
   * first one; null for none.
   */
  answered(request: SeenRequest, answer: ServiceAnswer): string | null {
    const key = keyOf(request);
    const made = createdIds(request, answer);
    let before: string | null = null;
    for (const one of this.#followed) {
      if (one.key !== key) continue;
      const [first] = one.ids;
      if (first !== undefined && made.some((id) => id !== first)) before ??= first;
      one.ids.push(...made);
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

/** Equal for a request and its repetitions. */
function keyOf({ method, target, body }: SeenRequest): string {
  return `${method} ${target} ${createHash('sha256').update(body).digest('hex')}`;
}

/** The id of the object that a POST made and that stays there; texts of models are no objects. */
function createdIds({ method, target }: SeenRequest, { status, body }: ServiceAnswer): string[] {
  if (method !== 'POST' || status >= 300 || /\/(completions|moderations)(\?|$)/.test(target)) return [];
  const id = /"id"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return id === undefined ? [] : [id];
}

/** The text in the first events of a stream. */
function textOf(body: Buffer, events: number): string {
  const lines = body
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('data: {'));
  return lines
    .slice(0, events)
    .map((line) => streamedText(jsonOf(line.slice('data: '.length))))
    .join('');
}

/** The value of a text; undefined where a service sends something else. */
function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
