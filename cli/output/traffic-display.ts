import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import type { ReportListener } from '../../pipeline/live-run.ts';
import type { ObservedFinding } from '../../pipeline/observation/observed-traffic.ts';

/** The output of a proxy while it judges: for people, or as JSON. */
export interface TrafficDisplay {
  listening(url: string, metrics: string | null): void;
  /** Called once per requirement and place. */
  violation(text: string): void;
  /** Called for every violation; absent if not needed as data. */
  finding?(finding: ObservedFinding): void;
  standing(progress: JudgingProgress): void;
  warning(text: string): void;
  notices(text: string): void;
  clear(): void;
  readonly report: ReportListener;
}
