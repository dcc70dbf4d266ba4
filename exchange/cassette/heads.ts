import type { Ending, HeaderPairs, Probe } from '../exchange.ts';

/** The beginning of a request, as on the wire; `target` is the path and query from `/v1` on. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly scenario?: string | null;
  readonly probe?: Probe | null;
  /** Of one that began before it is written down: how many exchanges had ended then. */
  readonly after?: number;
  /** When it began, by the clock of `performance` and in milliseconds since 1970; now, unless given. */
  readonly since?: number;
  readonly began?: number;
}

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderPairs;
}

/** How an exchange ended; `at` is now unless given. */
export type RecordedEnding = Pick<Ending, 'how'> & {
  readonly detail?: string | null;
  readonly trailers?: HeaderPairs;
  readonly at?: number;
};
