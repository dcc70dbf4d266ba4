import type { Exchange } from './exchange.ts';
import { firstHeader } from './http/headers.ts';

/** Response header of a disturbed response; its value is the name of the disturbance. */
export const DISTURBED_FIELD = 'x-assay-disturbed';

/** Response header with the id of the object that the same creation request made the first time. */
export const CREATED_BEFORE_FIELD = 'x-assay-created-before';

const MARKS: readonly string[] = [DISTURBED_FIELD, CREATED_BEFORE_FIELD];

export const STREAM_CUTS: readonly string[] = ['cut-stream', 'error-event'];
const DELAYS: readonly string[] = ['slow-pieces', 'slow-first-byte'];
const LOSSLESS: readonly string[] = [...DELAYS, 'duplicate-event'];

export function isMark(name: string): boolean {
  return MARKS.includes(name.toLowerCase());
}

export function isLossless(disturbance: string): boolean {
  return LOSSLESS.includes(disturbance);
}

/**
 * Any service can send the marking headers, so they count only if the trace header says that responses were disturbed.
 */
export function withTrustedMarks(
  exchange: Exchange,
  { disturbed }: { readonly disturbed?: boolean },
): Exchange {
  const { response } = exchange;
  if (disturbed === true || !response?.headers.some(([name]) => isMark(name))) return exchange;
  return {
    ...exchange,
    response: { ...response, headers: response.headers.filter(([name]) => !isMark(name)) },
  };
}

/** Whether the client got a response other than the one that the service sent. A delay alone does not count. */
export function hasChangedResponse({ response }: Exchange): boolean {
  const name = response === null ? null : firstHeader(response.headers, DISTURBED_FIELD);
  return name !== null && !DELAYS.includes(name);
}

/** How the client reacted to a disturbed response. Its times are informational: no verdict depends on them. */
export interface DisturbedAnswer {
  /** Name of the disturbance, as `--disturb` takes it: `rate-limit`. */
  readonly disturbance: string;
  /** `POST /v1/chat/completions`; null if no matching request was found. */
  readonly request: string | null;
  readonly retries: number;
  /** Milliseconds from the disturbed response to the first retry; null if there was no retry. */
  readonly retriedAfter: number | null;
  /** Whether the first retry waited as long as `Retry-After` asks; null without that header or a retry. */
  readonly honoured: boolean | null;
  /** Whether the client sent other requests after the disturbed response. */
  readonly wentOn: boolean;
  /** Ids of the objects that one creation made, if it made several. */
  readonly createdTwice: readonly string[];
  /** Whether a later request contains the text of a stream that was cut short. */
  readonly usedHalf: boolean;
}
