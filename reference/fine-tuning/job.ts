import type { JsonObject } from '../server/json.ts';
import type { Collection } from '../state/collection.ts';
import type { SerialQueue } from '../state/serial-queue.ts';
import type { StateProgress } from '../state/state-progress.ts';

export type JobStatus = 'queued' | 'validating_files' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** What the handler reads of a request to fine-tune; the request schema has accepted it. */
export interface JobRequest {
  readonly model: string;
  readonly training_file: string;
  readonly validation_file?: string | null;
  readonly hyperparameters?: {
    readonly n_epochs?: number | 'auto';
    readonly batch_size?: number | 'auto';
    readonly learning_rate_multiplier?: number | 'auto';
  };
  readonly suffix?: string | null;
  readonly integrations?: readonly JsonObject[] | null;
  readonly seed?: number | null;
}

export interface JobEvent {
  readonly id: string;
  readonly object: 'fine_tuning.job.event';
  readonly created_at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data: null;
  readonly type: 'message';
}

export interface Checkpoint {
  readonly id: string;
  readonly object: 'fine_tuning.job.checkpoint';
  readonly created_at: number;
  readonly fine_tuned_model_checkpoint: string;
  readonly fine_tuning_job_id: string;
  readonly step_number: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** A fine-tuning job as it is answered (2 Fine-tuning job). */
export interface JobObject {
  readonly object: 'fine_tuning.job';
  readonly id: string;
  readonly created_at: number;
  error: { readonly code: string; readonly message: string; readonly param: string | null } | null;
  fine_tuned_model: string | null;
  finished_at: number | null;
  hyperparameters: JsonObject;
  readonly model: string;
  readonly organization_id: string;
  result_files: readonly string[];
  status: JobStatus;
  trained_tokens: number | null;
  readonly training_file: string;
  readonly validation_file: string | null;
  readonly integrations: readonly JsonObject[] | null;
  readonly seed: number;
  estimated_finish: number | null;
}

/** A job with what is not shown of it. */
export interface Job {
  readonly id: string;
  readonly shown: JobObject;
  readonly suffix: string;
  readonly progress: StateProgress;
  readonly events: Collection<JobEvent>;
  readonly checkpoints: Collection<Checkpoint>;
  /** Moves are made in turns, so that two readings never make the same one twice. */
  readonly turns: SerialQueue;
  /** Moves made so far. */
  moved: number;
}

export function endedJob({ status }: JobObject): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
