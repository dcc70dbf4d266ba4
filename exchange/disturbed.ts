// Answers that `--disturb` spoils on purpose: how recordings mark them, and what is noted about the client.

import type { Exchange } from './exchange.ts';
import { firstHeader } from './http/headers.ts';

/** Field of a spoiled answer; its value is the name of the disturbance. */
export const DISTURBED_FIELD = 'x-assay-disturbed';

/**
 * Field of the answer to a creation that was sent again although the service had carried out the first one; its value is the id
 * of the object that exists already.
 */
export const CREATED_BEFORE_FIELD = 'x-assay-created-before';

/** Both fields, in lower case. */
const MARKS: readonly string[] = [DISTURBED_FIELD, CREATED_BEFORE_FIELD];

/** Whether a field of an answer is one that only a disturber may set. */
export function isMark(name: string): boolean {
  return MARKS.includes(name.toLowerCase());
}

/** Disturbances that send the whole answer of the service, only slowly. */
const SLOW: readonly string[] = ['slow-pieces', 'slow-first-byte'];
/** Disturbances after which a client has everything that the service said. */
const WHOLE: readonly string[] = [...SLOW, 'duplicate-event'];

/** Whether a client gets the whole answer of the service in spite of a disturbance. */
export function isWhole(disturbance: string): boolean {
  return WHOLE.includes(disturbance);
}

/** Whether an answer has a field that only a disturber may set. */
function isMarked({ response }: Exchange): boolean {
  return response?.headers.some(([name]) => isMark(name)) === true;
}

/**
 * The exchange as it may be judged. Every service can send the fields that mark answers, so they count only in a trace whose
 * header says that answers were disturbed.
 */
export function withTrustedMarks(
  exchange: Exchange,
  { disturbed }: { readonly disturbed?: boolean },
): Exchange {
  const { response } = exchange;
  if (disturbed === true || response === null || !isMarked(exchange)) return exchange;
  return {
    ...exchange,
    response: { ...response, headers: response.headers.filter(([name]) => !isMark(name)) },
  };
}

/** Whether an answer is not, or not wholly, that of the service, because it was spoiled on purpose. */
export function isSpoiled({ response }: Exchange): boolean {
  const name = response === null ? null : firstHeader(response.headers, DISTURBED_FIELD);
  return name !== null && !SLOW.includes(name);
}

/** Disturbances after which a client has a part of a stream, and knows that it has no more. */
export const LOST_STREAMS: readonly string[] = ['cut-stream', 'error-event'];

/** Texts of streams that are shorter occur in other requests by chance. UTF-16 code units. */
export const SHORTEST_HALF = 12;

/** The reaction of a client to one spoiled answer. Times are for people: no verdict depends on them. */
export interface DisturbedAnswer {
  /** Name of the disturbance. */
  readonly disturbance: string;
  /** `POST /v1/chat/completions`; null where no request came that it fits. */
  readonly request: string | null;
  /** How often the same request came again. */
  readonly retries: number;
  /** Milliseconds from the spoiled answer to the first repetition; null without one. */
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
