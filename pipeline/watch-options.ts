import type { CassetteError } from '../exchange/cassette/error.ts';
import type { DisturbedAnswer } from '../exchange/disturbed.ts';
import type { RedactorOptions } from '../exchange/redaction/redactor.ts';
import type { JudgedSide } from '../judge/requirements/requirement.ts';
import type { JudgingProgress } from './judging/traffic-judge.ts';
import type { ObservedFinding } from './metrics/exchange-measure.ts';
import type { WatchObserver } from './metrics/watch-observer.ts';

/** The service to watch, the bounds of disk and memory, and the listeners. */
export interface WatchOptions {
  readonly baseUrl: string;
  /** Set where the embedded reference answers there: its address is gone with it. */
  readonly embedded?: true | undefined;
  /** The side that is judged. */
  readonly side: JudgedSide;
  /** Port to listen on; 0 for any free one. */
  readonly port: number;
  /** Seconds; 0 for never. */
  readonly timeout: number;
  /** Values that the recording replaces. */
  readonly redaction?: RedactorOptions;
  /** Replaces the key of the client; null to forward the client's. */
  readonly key: string | null;
  /** Clients that may use the proxy where it adds credentials: see `RecordOptions`. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** File for a baseline of what is broken. */
  readonly baselineWrite: string | undefined;
  /** Reason of its new entries. */
  readonly baselineReason?: string | undefined;
  /** Set where a disturber that runs elsewhere marks the answers that it spoils; below, how the client reacted to one of this command. */
  readonly disturbed?: true | undefined;
  readonly reactions?: (() => readonly DisturbedAnswer[]) | undefined;
  /** Bytes that are kept on the disk, and that the judge may hold in memory. */
  readonly most: { readonly disk: number; readonly memory: number };
  /** How violations are printed. */
  readonly page: {
    readonly width: number | undefined;
    readonly colours: 'on' | 'off';
    /** `line` where the report at the end shows them in full. */
    readonly length: 'full' | 'line';
  };
  /** Command that runs the same client again and judges it; null where the proxy was not started for a client. */
  readonly clientCommand?: string | null;
  /** Receives the text of each violation that is met for the first time. */
  readonly onViolation: (text: string) => void;
  /** Receives each violation as data, as often as it is met. */
  readonly onFinding?: (finding: ObservedFinding) => void;
  /** Counts the traffic for metrics. */
  readonly observer?: WatchObserver | undefined;
  /** Receives the progress, at most once per batch of exchanges. */
  readonly onStanding: (progress: JudgingProgress) => void;
  /** Receives the error when writes to the disk begin to fail, and again only when one has succeeded since. */
  readonly onDiskFailure: (error: CassetteError) => void;
}
