import type { Sketch } from '../service-traffic.ts';

/** Traffic of today's service without a violation, and the same with one. */
export interface TodayCase {
  readonly name: string;
  readonly traffic: readonly Sketch[];
  /** Takes the place of the last exchange of the traffic, or follows it where nothing of its answer can be judged. */
  readonly wrong: Sketch;
  readonly follows?: true;
  /** The requirement that the wrong one breaks. */
  readonly breaks: string;
}
