import type { Sketch } from '../service-traffic.ts';

/** Traffic that a service of today sends, without a violation and with one. */
export interface TodayCase {
  readonly name: string;
  readonly traffic: readonly Sketch[];
  /** The violating exchange; it replaces the last one of `traffic`. */
  readonly wrong: Sketch;
  /** Set if the violating exchange follows the last one instead, because the last one cannot be judged. */
  readonly follows?: true;
  /** The requirement that the violating traffic breaks. */
  readonly breaks: string;
}
