// Follows what a client does after a disturbed answer. Times are for people: no verdict depends on them.
import { createHash } from 'node:crypto';
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

/** What a client did after one disturbed answer. */
export interface Reaction {
  /** Name of the disturbance. */
  readonly disturbance: string;
  /** `POST /v1/chat/completions`. */
  readonly request: string;
  /** How often the same request came again. */
  readonly retries: number;
  /** Milliseconds from the disturbed answer to the first repetition; null without one. */
  readonly retriedAfter: number | null;
  /** Whether the first repetition waited as long as `Retry-After` asks; null where nothing was asked, or nothing came. */
  readonly honoured: boolean | null;
  /** Whether other requests came after it. */
  readonly wentOn: boolean;
  /** Ids of the objects that the same creation made, where they are several. */
  readonly createdTwice: readonly string[];
  /** Whether a later request holds the text of a stream that was cut short. */
  readonly usedHalf: boolean;
}

/** Texts of streams that are shorter occur in other requests by chance. */
const SHORTEST = 12;
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
      const text = one.partial;
      if (text.length >= SHORTEST && request.body.includes(JSON.stringify(text).slice(1, -1)))
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

  /** A fresh request is disturbed, and its answer has been sent as far as it ever will. `answer`: what the service said. */
  disturbed(disturbance: Disturbance, request: SeenRequest, answer: ServiceAnswer, at: number): void {
    const isCut = disturbance.name === 'cut-stream' || disturbance.name === 'error-event';
    this.#followed.push({
      disturbance,
      request: `${request.method} ${request.target.split('?', 1)[0]}`,
      key: keyOf(request),
      ids: createdIds(request, answer),
      partial: isCut ? textOf(answer.body, disturbance.after) : '',
      at,
      left: disturbance.times - 1,
      retries: 0,
      retriedAfter: null,
      wentOn: false,
      usedHalf: false,
    });
  }

  /** The service answered a request that may be a repetition of a creation. */
  answered(request: SeenRequest, answer: ServiceAnswer): void {
    const key = keyOf(request);
    for (const one of this.#followed) if (one.key === key) one.ids.push(...createdIds(request, answer));
  }

  /** What the client did, in the order of the disturbances. */
  report(): readonly Reaction[] {
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

/** The text in the first events of a stream of chat completion chunks. */
function textOf(body: Buffer, events: number): string {
  const lines = body
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('data: {'));
  return lines
    .slice(0, events)
    .map((line) => {
      const content: unknown = JSON.parse(line.slice('data: '.length))?.choices?.[0]?.delta?.content;
      return typeof content === 'string' ? content : '';
    })
    .join('');
}
