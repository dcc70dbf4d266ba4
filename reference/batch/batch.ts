import type { SerialQueue } from '../state/serial-queue.ts';
import type { StateProgress } from '../state/state-progress.ts';

export type BatchStatus =
  | 'validating'
  | 'failed'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'expired'
  | 'cancelling'
  | 'cancelled';

/** What the handler reads of a request for a batch; the request schema has accepted it. */
export interface BatchRequest {
  readonly input_file_id: string;
  readonly endpoint: string;
  readonly completion_window: '24h';
  readonly metadata?: Readonly<Record<string, string>> | null;
}

export interface BatchProblem {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

/** A batch as it is answered (2 Batch). */
export interface BatchObject {
  readonly id: string;
  readonly object: 'batch';
  readonly endpoint: string;
  errors: { readonly object: 'list'; readonly data: readonly BatchProblem[] } | null;
  readonly input_file_id: string;
  readonly completion_window: string;
  status: BatchStatus;
  output_file_id: string | null;
  error_file_id: string | null;
  readonly created_at: number;
  in_progress_at: number | null;
  readonly expires_at: number;
  finalizing_at: number | null;
  completed_at: number | null;
  failed_at: number | null;
  expired_at: number | null;
  cancelling_at: number | null;
  cancelled_at: number | null;
  request_counts: { total: number; completed: number; failed: number };
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** A batch with what is not shown of it. */
export interface Batch {
  readonly id: string;
  readonly shown: BatchObject;
  readonly progress: StateProgress;
  readonly turns: SerialQueue;
  /** Moves made so far. */
  moved: number;
  /** Line of the input file up to which requests were made. */
  done: number;
}

/** The batch as it stands when no move can follow. */
export function endedBatch({ status }: BatchObject): boolean {
  return status === 'completed' || status === 'failed' || status === 'expired' || status === 'cancelled';
}
