import type { Sketch } from '../service-traffic.ts';

/** Traffic that an erratum excuses, and similar traffic that it does not excuse. */
export interface ErratumCase {
  /** Id of the erratum. */
  readonly erratum: string;
  /** The side whose violations the erratum excuses; the service by default. */
  readonly side?: 'client';
  /** Traffic with a finding that the dialect excuses. */
  readonly excused: readonly Sketch[];
  /** Traffic that breaks a requirement although the dialect applies. */
  readonly beyond: readonly { readonly traffic: readonly Sketch[]; readonly breaks: string }[];
}

/** Traffic of the deployed service as it is today, without a violation and with one. */
export interface TodayCase {
  readonly name: string;
  readonly traffic: readonly Sketch[];
  /** The violating exchange; it replaces the last one of `traffic`. */
  readonly wrong: Sketch;
  /** Set if the violating exchange follows the last one instead, because the last one is not judged. */
  readonly follows?: true;
  /** The requirement that the violating traffic breaks. */
  readonly breaks: string;
}
