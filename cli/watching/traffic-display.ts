import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import type { ReportListener } from '../../pipeline/live-run.ts';
import type { ObservedFinding } from '../../pipeline/metrics/exchange-measure.ts';

/** The output of a proxy while it judges: lines for people, or JSON. */
export interface TrafficDisplay {
  /** The proxy accepts connections; `metrics`: the address of its metrics, or null. */
  listening(url: string, metrics: string | null): void;
  /** The text of a violation that is met for the first time. */
  violation(text: string): void;
  /** A violation as data, as often as it is met. Absent where findings are not wanted as data. */
  finding?(finding: ObservedFinding): void;
  standing(progress: JudgingProgress): void;
  warning(text: string): void;
  /** Lines on what the proxy lost. */
  notices(text: string): void;
  /** Removes the progress from a terminal. */
  clear(): void;
  /** Prints the report. */
  readonly report: ReportListener;
}
