// The messages between the thread that has the traffic and the thread that judges it.
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Note, TraceHeader } from '../../exchange/trace.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import type { ExchangeMeasure, ObservedFinding } from '../observation/observed-traffic.ts';
import type { JudgedTrace, JudgingProgress, TraceJudgeOptions } from './trace-judge.ts';

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
  /** Whether families beyond the claimed ones are judged when one of their operations is called. */
  readonly claims: TraceJudgeOptions['claims'];
  /** How violations are printed while the traffic passes; null where they are not. */
  readonly violations: {
    readonly width: number;
    readonly colours: 'on' | 'off';
    /** `line` where the report at the end shows them in full. */
    readonly length: 'full' | 'line';
  } | null;
  /** Set where figures of exchanges and findings are passed on, for metrics and logs. */
  readonly observed?: true;
  /** Memory that the judge may hold, in bytes; null for no limit. */
  readonly memory: number | null;
}

/** One element of a trace on its way to the judge. */
export type RecordedItem =
  /** The lines as they stand in the journal: bodies are parsed only in the judging thread. */
  | { readonly kind: 'exchange'; readonly lines: readonly JournalEvent[] }
  | { readonly kind: 'note'; readonly note: Note };

/** Messages to the judging thread, for each trace in this order: one `open`, one `begin`, any number of `items`, one `end`. */
export type ToJudge =
  | { readonly kind: 'open'; readonly options: JudgeThreadOptions }
  | { readonly kind: 'begin'; readonly header: TraceHeader }
  /** `exchanges` and `size` (characters) come back when all of them are judged. */
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
      /** Of the exchanges, where they are observed. */
      readonly measures: readonly ExchangeMeasure[];
      /** Keyed states that were given up for memory so far. */
      readonly forgotten: number;
    }
  | { readonly kind: 'finding'; readonly finding: ObservedFinding }
  | { readonly kind: 'violation'; readonly text: string }
  | {
      readonly kind: 'finished';
      readonly judged: JudgedTrace;
      /** Keyed states that were given up for memory: lost evidence, never a finding. */
      readonly forgotten: number;
      /** Exchanges that the judge did not receive: where there are any, the finished cassette has to be judged. */
      readonly lost: number;
    };
