import type { Sketch } from '../service-traffic.ts';

export interface ErratumCase {
  readonly erratum: string;
  /** The side whose violations the erratum excuses; the service by default. */
  readonly side?: 'client';
  readonly excused: readonly Sketch[];
  /** Traffic that breaks a requirement although the dialect applies. */
  readonly beyond: readonly { readonly traffic: readonly Sketch[]; readonly breaks: string }[];
}

export interface TodayCase {
  readonly name: string;
  readonly traffic: readonly Sketch[];
  /** The violating exchange; it replaces the last one of `traffic`. */
  readonly wrong: Sketch;
  /** Set if the violating exchange follows the last one instead, because the last one is not judged. */
  readonly follows?: true;
  readonly breaks: string;
}
