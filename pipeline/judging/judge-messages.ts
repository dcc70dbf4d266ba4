// The messages between the thread that has the traffic and the thread that judges it.
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Note, TraceHeader } from '../../exchange/trace.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import type { ExchangeMeasure, ObservedFinding } from '../observation/observed-traffic.ts';
import type { FoundViolation } from './found-violation.ts';
import type { JudgedTrace, JudgingProgress, TrafficJudgeOptions } from './traffic-judge.ts';

/** Decides how a judging thread judges its next trace. */
export interface JudgeThreadOptions {
  /** Name or file of the dialect; null for the specification as it is. */
  readonly dialect: string | null;
  /** Files of the extensions that are in effect for the trace. */
  readonly extension: readonly string[];
  /** Folder of the cassette that is being recorded: large bodies are read from it. */
  readonly cassette: string;
  /** The side that is judged. */
  readonly side: JudgedSide;
  readonly finds: TrafficJudgeOptions['finds'];
  /** Whether violations are passed on while the traffic is judged, in full or without their exchanges; null if not. */
  readonly violations: 'full' | 'line' | null;
  /** Set if figures of exchanges and findings are passed on, for metrics and logs. */
  readonly observed?: true;
  /** Memory that the judge may hold, in bytes; null for no limit. */
  readonly memory: number | null;
}

/** One element of a trace on its way to the judge. */
export type RecordedItem =
  /** The lines as they stand in the journal: bodies are parsed only in the judging thread. */
  | { readonly kind: 'exchange'; readonly lines: readonly JournalEvent[] }
  | { readonly kind: 'note'; readonly note: Note };

/**
 * Messages to the judging thread, in this order for each trace: one `open`, one `begin`, any number of
 * `items`, one `end`.
 */
export type ToJudge =
  | { readonly kind: 'open'; readonly options: JudgeThreadOptions }
  | { readonly kind: 'begin'; readonly header: TraceHeader }
  /** `exchanges` and `size` (characters) are returned once all of them are judged. */
  | {
      readonly kind: 'items';
      readonly items: readonly RecordedItem[];
      readonly exchanges: number;
      readonly size: number;
    }
  | { readonly kind: 'end' };

/** Messages from the judging thread; `finished` is the last one of a trace. */
export type FromJudge =
  | {
      readonly kind: 'judged';
      readonly exchanges: number;
      readonly size: number;
      readonly progress: JudgingProgress;
      readonly measures: readonly ExchangeMeasure[];
      /** Keyed states that were given up for memory so far. */
      readonly forgotten: number;
    }
  | { readonly kind: 'finding'; readonly finding: ObservedFinding }
  | { readonly kind: 'violation'; readonly violation: FoundViolation }
  | {
      readonly kind: 'finished';
      readonly judged: JudgedTrace;
      /** Keyed states that were given up for memory: lost evidence, never a finding. */
      readonly forgotten: number;
      /** Exchanges that the judge did not receive: if there are any, the finished cassette must be judged. */
      readonly lost: number;
    };
