import type { Sketch } from '../service-traffic.ts';

/** Traffic of today's service without a violation, and the same with one. */
export interface TodayCase {
  readonly name: string;
  readonly traffic: readonly Sketch[];
  /** Replaces the last exchange of the traffic, or follows it if its response cannot be judged. */
  readonly wrong: Sketch;
  readonly follows?: true;
  /** The requirement that the violating traffic breaks. */
  readonly breaks: string;
}
