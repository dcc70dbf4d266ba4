export type { HttpRequest, HttpResponse, Piece } from './http/content.ts';
export type { HeaderPairs } from './http/headers.ts';

import type { HttpRequest, HttpResponse } from './http/content.ts';

/** The requirement that a request was sent to test; kept in the trace so that a later judge sees the same (design: requirements from request schemas). */
export interface Probe {
  /** Unique in the trace; a violation names its control by it. */
  readonly id: string;
  readonly operation: string;
  /** Where the probed value sits: `body.temperature`, `query.limit`, `path.file_id`, `file.image`. */
  readonly pointer: string;
  /** The JSON Schema keyword or file rule: `maximum`, `required`, `enum`, `format`, `square`. */
  readonly keyword: string;
  readonly side: 'valid' | 'violation';
  /**
   * Of a violation the id of the valid probe that equals it but for the violation; of a valid probe the id of the base request,
   * which lacks what is probed and is sent only where the probe is not accepted. Null for the base itself.
   */
  readonly control: string | null;
}

export type EndingKind =
  | 'complete'
  | 'upstream-reset'
  | 'upstream-timeout'
  | 'client-abort'
  | 'recorder-killed';

/** How an exchange ended, as data. `detail` is for people (an errno, a deadline). */
export interface Ending {
  readonly how: EndingKind;
  readonly detail: string | null;
  /** Milliseconds since the request began. */
  readonly at: number;
}

/**
 * One request and everything that came back. `response` is null when no status line arrived.
 * Order is kept without clocks: `after` is how many exchanges had ended when this one began,
 * `ended` its own ordinal (from 1) among the ends. A ended before B began iff `A.ended <= B.after`.
 */
export interface Exchange {
  /** `e1`, `e2`, … by start. */
  readonly id: string;
  readonly after: number;
  readonly ended: number;
  /** The scenario that sent it, or null for traffic that is not ours. */
  readonly scenario: string | null;
  readonly probe: Probe | null;
  readonly request: HttpRequest;
  readonly response: HttpResponse | null;
  readonly end: Ending;
}

/** True when `earlier` had ended before `later` began; what overlaps proves nothing about order. */
export function precedes(earlier: Exchange, later: Exchange): boolean {
  return earlier.ended <= later.after;
}
