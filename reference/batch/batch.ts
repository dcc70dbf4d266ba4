import type { SerialQueue } from '../state/serial-queue.ts';
import type { StateProgress } from '../state/state-progress.ts';

/** The states of a batch; `failed`, `completed`, `expired` and `cancelled` are final. */
export type BatchStatus =
  | 'validating'
  | 'failed'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'expired'
  | 'cancelling'
  | 'cancelled';

/** Body of a request for a batch, validated. */
export interface BatchRequest {
  readonly input_file_id: string;
  /** Path that every line of the input file calls, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly completion_window: '24h';
  readonly metadata?: Readonly<Record<string, string>> | null;
}

/** A line of the input file that is invalid, or a problem of the file as a whole (line null). */
export interface BatchProblem {
  /** Short name of the rule that is broken; the specification shows none, so these are of this service. */
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** Number of the line, from 1. */
  readonly line: number | null;
}

/** A batch as its response shows it (2 Batch object). */
export interface BatchObject {
  readonly id: string;
  readonly object: 'batch';
  readonly endpoint: string;
  /** Problems of the input file; null unless the batch failed. */
  errors: { readonly object: 'list'; readonly data: readonly BatchProblem[] } | null;
  readonly input_file_id: string;
  readonly completion_window: string;
  status: BatchStatus;
  /** Responses below 400; null until the batch ends, and when the file would be empty. */
  output_file_id: string | null;
  /** Responses of 400 and above; null like the output file. */
  error_file_id: string | null;
  /** All times are Unix seconds; null until the batch enters that state. */
  readonly created_at: number;
  in_progress_at: number | null;
  readonly expires_at: number;
  finalizing_at: number | null;
  completed_at: number | null;
  failed_at: number | null;
  expired_at: number | null;
  cancelling_at: number | null;
  cancelled_at: number | null;
  /** `total` is 0 until the file is validated; the other two grow while the batch runs. */
  request_counts: { total: number; completed: number; failed: number };
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** A batch with its internal state. */
export interface Batch {
  readonly id: string;
  /** The response, changed in place by each transition. */
  readonly shown: BatchObject;
  /** When transitions are due. */
  readonly progress: StateProgress;
  /** Advances the batch once at a time, so that two retrievals never make the same transition twice. */
  readonly turns: SerialQueue;
  /** Transitions made so far. */
  moved: number;
  /** Line of the input file up to which requests were made. */
  done: number;
}

/** True in a final state. */
export function endedBatch({ status }: BatchObject): boolean {
  return status === 'completed' || status === 'failed' || status === 'expired' || status === 'cancelled';
}
