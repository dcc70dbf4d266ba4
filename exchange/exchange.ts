export type { HeaderPairs } from './http/headers.ts';
export type { HttpRequest, HttpResponse, Piece } from './http/message.ts';

import type { HttpRequest, HttpResponse } from './http/message.ts';

/** The constraint that a request was sent to test; kept in the trace so that every later judge uses the same one. */
export interface Probe {
  /** Name of the probe in the trace; a violation refers to its control by this id. */
  readonly id: string;
  readonly operation: string;
  /** Place of the probed value: `body.temperature`, `query.limit`, `path.file_id`, `file.image`. */
  readonly pointer: string;
  /** JSON Schema keyword, file rule or other constraint: `maximum`, `required`, `square`, `unknown`. */
  readonly keyword: string;
  /** `violation` if the request breaks the constraint on purpose. */
  readonly side: 'valid' | 'violation';
  /**
   * For a violation, the valid probe that is otherwise equal. For a valid probe, the base request, which lacks the
   * probed field if it is optional, and is sent only if a valid probe fails. Null for a probe without a control.
   */
  readonly control: string | null;
}

export type EndingKind =
  | 'complete'
  | 'upstream-reset'
  | 'upstream-timeout'
  | 'client-abort'
  | 'recorder-killed';

export interface Ending {
  /** `complete`, or what ended the exchange before its response was complete. */
  readonly how: EndingKind;
  /** For display only, such as an errno or a deadline; null if there is none. */
  readonly detail: string | null;
  /** Milliseconds since the request began. */
  readonly at: number;
}

/** A request and everything received in response. Exchange A ended before exchange B began iff `A.ended <= B.after`. */
export interface Exchange {
  /** `e1`, `e2`, … by start. */
  readonly id: string;
  /** How many exchanges had ended when this one began. */
  readonly after: number;
  /** Position in the order in which exchanges ended, from 1. */
  readonly ended: number;
  /** The scenario that sent the request, or `DISCOVERY`; null for other traffic. */
  readonly scenario: string | null;
  /** The constraint that the request tests; null if it tests none. */
  readonly probe: Probe | null;
  /** The request as recorded, with secrets replaced. */
  readonly request: HttpRequest;
  /** Null if no status line arrived. */
  readonly response: HttpResponse | null;
  /** How the exchange ended: complete, or what broke it off. */
  readonly end: Ending;
}

/** Discovery tries paths and models that the target may lack, so no requirement is judged by its requests. */
export const DISCOVERY = 'discovery';

export type TraceSpan = Pick<Exchange, 'after' | 'ended'>;

/** Whether `earlier` ended before `later` began. Overlapping exchanges prove nothing about order. */
export function precedes(earlier: TraceSpan, later: TraceSpan): boolean {
  return earlier.ended <= later.after;
}
