import type { RunConfiguration, Settings } from '../../drive/configuration/configuration.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import type { Report } from '../../reports/report.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import type { KnownFailures } from './known-failures.ts';

export interface ReportOptions {
  /** The settings of the gate and of the report folder, and those that the printed commands repeat. */
  readonly configuration: RunConfiguration | Settings;
  readonly side?: JudgedSide;
  readonly known: KnownFailures;
  readonly earlierReport?: Report | null;
  /** Start of the run by `performance.now()`; null if not measured. */
  readonly began: number | null;
  /** `words`: the judged traffic as shell words; `relative`: the cassette as a path from the report, null in a check. */
  readonly cassette: { readonly words: string; readonly relative: string | null };
  /** The command that judges the client again. Default: `assay check` of the cassette. */
  readonly clientCommand?: string | null;
}

/** The parts of recorded traffic that a report uses; `source` is needed only if the traffic spans several files. */
export type TrafficLookup = Pick<RecordedTraffic, 'header' | 'exchange' | 'size' | 'began' | 'beganAt'> &
  Partial<Pick<RecordedTraffic, 'source'>>;
