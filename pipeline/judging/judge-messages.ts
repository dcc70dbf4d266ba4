import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Note, TraceHeader } from '../../exchange/trace.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import type { ExchangeMeasure } from '../observation/exchange-measure.ts';
import type { ObservedFinding } from '../observation/observed-finding.ts';
import type { JudgedTrace, JudgingProgress, TrafficJudgeOptions } from './traffic-judge.ts';
import type { FoundViolation } from './violation-messages.ts';

export interface JudgeThreadOptions {
  /** Name or file of the dialect; null for none. */
  readonly dialect: string | null;
  readonly extension: readonly string[];
  /** Folder of the cassette that is being recorded: large bodies are read from it. */
  readonly cassette: string;
  readonly side: JudgedSide;
  readonly finds: TrafficJudgeOptions['finds'];
  /** How violations are sent while the traffic is judged: in full, or without exchanges; null sends none. */
  readonly violations: 'full' | 'line' | null;
  /** Set to send data about exchanges and findings for metrics and logs. */
  readonly isObserved?: true;
  /** Memory that the judge may hold, in bytes; null for no limit. */
  readonly memory: number | null;
}

export type RecordedItem =
  /** Lines of the journal; bodies are parsed only in the judging thread. */
  | { readonly kind: 'exchange'; readonly lines: readonly JournalEvent[] }
  | { readonly kind: 'note'; readonly note: Note };

/** Messages to the judging thread. A trace takes one `open`, one `begin`, any number of `items` and one `end`. */
export type JudgeRequest =
  | { readonly kind: 'open'; readonly options: JudgeThreadOptions }
  | { readonly kind: 'begin'; readonly header: TraceHeader }
  /** The reply repeats `exchanges` and `size` (characters of bodies) once all are judged or wait for earlier ones. */
  | {
      readonly kind: 'items';
      readonly items: readonly RecordedItem[];
      readonly exchanges: number;
      readonly size: number;
    }
  | { readonly kind: 'end' };

/** Messages from the judging thread; `finished` is the last one for a trace. */
export type JudgeReply =
  | {
      readonly kind: 'judged';
      readonly exchanges: number;
      readonly size: number;
      readonly progress: JudgingProgress;
      readonly measures: readonly ExchangeMeasure[];
      readonly forgotten: number;
    }
  | { readonly kind: 'finding'; readonly finding: ObservedFinding }
  | { readonly kind: 'violation'; readonly violation: FoundViolation }
  | {
      readonly kind: 'finished';
      readonly judged: JudgedTrace;
      /** Number of keyed states dropped to save memory: lost evidence, never a finding. */
      readonly forgotten: number;
      /** Number of exchanges that the judge did not receive; if there are any, the finished cassette must be judged. */
      readonly lost: number;
    };
