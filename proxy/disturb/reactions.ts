import { createHash } from 'node:crypto';
import { type DisturbedAnswer, STREAM_CUTS } from '../../exchange/disturbed.ts';
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { holdsText, MIN_REUSED_LENGTH } from '../../exchange/http/streamed-text.ts';
import { tryParseJson } from '../../schemas/json.ts';
import type { Disturbance } from './disturbances.ts';
import { divideStream, type ServiceAnswer, textOfEvents } from './send-disturbed.ts';

const RETRY_AFTER_MS = { requested: 1000, tolerance: 50 } as const;

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  /** Alternating names and values, as on the wire. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** When the head of the request arrived, by `performance.now()`. */
  readonly at: number;
}

interface DisturbedRequest {
  readonly disturbance: Disturbance;
  readonly key: string;
  readonly ids: string[];
  readonly partial: string;
  /** When the client could tell that it would not get the response; null while it may still get all of it. */
  lostAt: number | null;
  /** Whether a retry got an undisturbed 2xx response; equal requests after it are new ones. */
  isOver: boolean;
  remaining: number;
  /** The entry of the report; `honoured` and `createdTwice` are set only when it is reported. */
  readonly reaction: { -readonly [K in keyof DisturbedAnswer]: DisturbedAnswer[K] };
}

export interface RequestArrival {
  readonly due: Disturbance | null;
  readonly repeats: readonly DisturbedRequest[];
}

export type ReportLoss = (at: number) => void;

export class Reactions {
  readonly #disturbed: DisturbedRequest[] = [];

  recordRequest(request: SeenRequest): RequestArrival {
    const key = keyOf(request);
    const repeats: DisturbedRequest[] = [];
    let due: Disturbance | null = null;
    for (const earlier of this.#disturbed) {
      const isRecognisable = earlier.partial.trim().length >= MIN_REUSED_LENGTH;
      if (isRecognisable && holdsText(tryParseJson(request.body.toString('utf8')), earlier.partial))
        earlier.reaction.usedHalf = true;
      // A request that was in flight when the response was lost does not react to it.
      if (earlier.lostAt === null || request.at < earlier.lostAt) continue;
      if (earlier.key !== key) {
        earlier.reaction.wentOn = true;
        continue;
      }
      // Once a session has continued, an equal GET or creation may be a new request.
      if (earlier.isOver || (earlier.reaction.wentOn && (request.method === 'GET' || earlier.ids.length > 0)))
        continue;
      earlier.reaction.retries += 1;
      earlier.reaction.retriedAfter ??= Math.round(request.at - earlier.lostAt);
      repeats.push(earlier);
      if (earlier.remaining > 0) {
        earlier.remaining -= 1;
        due = earlier.disturbance;
      }
    }
    return { due, repeats };
  }

  /**
   * `answer` is null if the service did not receive the request. Call the returned function when the client can tell
   * that the response is lost.
   */
  recordDisturbance(
    disturbance: Disturbance,
    request: SeenRequest,
    answer: ServiceAnswer | null,
  ): ReportLoss {
    const disturbed: DisturbedRequest = {
      disturbance,
      key: keyOf(request),
      ids: answer === null ? [] : createdIds(request, answer),
      partial: answer === null ? '' : partialText(disturbance, answer),
      lostAt: null,
      isOver: false,
      remaining: disturbance.times - 1,
      reaction: {
        ...unusedDisturbance(disturbance),
        request: `${request.method} ${request.target.split('?', 1)[0]}`,
      },
    };
    this.#disturbed.push(disturbed);
    return (at) => {
      disturbed.lostAt ??= at;
    };
  }

  /**
   * Returns the id of the object that an earlier attempt created if this one created another; null otherwise.
   * `isDisturbed`: whether this response is disturbed too.
   */
  recordResponse(
    { repeats }: RequestArrival,
    request: SeenRequest,
    { answer, isDisturbed }: { readonly answer: ServiceAnswer; readonly isDisturbed: boolean },
  ): string | null {
    const created = createdIds(request, answer);
    let firstId: string | null = null;
    for (const earlier of repeats) {
      const [first] = earlier.ids;
      if (first !== undefined && created.some((id) => id !== first)) firstId ??= first;
      earlier.ids.push(...created);
      if (!isDisturbed && answer.status < 300) earlier.isOver = true;
    }
    return firstId;
  }

  report(): readonly DisturbedAnswer[] {
    return this.#disturbed.map(({ reaction, ids }) => {
      const { disturbance, retriedAfter } = reaction;
      const isRateLimit = disturbance === 'rate-limit' && retriedAfter !== null;
      const created = [...new Set(ids)];
      return {
        ...reaction,
        honoured: isRateLimit ? retriedAfter >= RETRY_AFTER_MS.requested - RETRY_AFTER_MS.tolerance : null,
        createdTwice: created.length > 1 ? created : [],
      };
    });
  }
}

export function unusedDisturbance({ name }: Disturbance): DisturbedAnswer {
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

/** The text that passes before a stream is cut; empty if the disturbance cuts no stream, or the stream ends earlier. */
function partialText(disturbance: Disturbance, { body }: ServiceAnswer): string {
  if (!STREAM_CUTS.includes(disturbance.name)) return '';
  const { passing, remaining } = divideStream(body, disturbance);
  return remaining.length === 0 ? '' : textOfEvents(passing);
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

/** The first id in a 2xx response to a POST, if any; none for completions and moderations, as these are not stored. */
function createdIds({ method, target }: SeenRequest, { status, body }: ServiceAnswer): string[] {
  if (method !== 'POST' || status >= 300 || /\/(completions|moderations)(\?|$)/.test(target)) return [];
  const id = /"id"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return id === undefined ? [] : [id];
}
