import type { JsonObject } from '../server/json.ts';
import type { Collection } from '../state/collection.ts';
import type { SerialQueue } from '../state/serial-queue.ts';
import type { StateProgress } from '../state/state-progress.ts';

/** The states of a job; `succeeded`, `failed` and `cancelled` are final. */
export type JobStatus = 'queued' | 'validating_files' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** Body of a request to fine-tune, validated. */
export interface JobRequest {
  readonly model: string;
  /** Id of a file with purpose `fine-tune`. */
  readonly training_file: string;
  readonly validation_file?: string | null;
  readonly hyperparameters?: {
    readonly n_epochs?: number | 'auto';
    readonly batch_size?: number | 'auto';
    readonly learning_rate_multiplier?: number | 'auto';
  };
  /** Becomes part of the id of the tuned model. */
  readonly suffix?: string | null;
  readonly integrations?: readonly JsonObject[] | null;
  /** Equal seeds and files give equal metrics. */
  readonly seed?: number | null;
}

/** 2 Fine-tuning job event. Published at each transition, and for the steps of the training. */
export interface JobEvent {
  readonly id: string;
  readonly object: 'fine_tuning.job.event';
  readonly created_at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  /** Always null: messages contain the figures. */
  readonly data: null;
  readonly type: 'message';
}

/** 2 Fine-tuning checkpoint: the model after an epoch. */
export interface Checkpoint {
  readonly id: string;
  readonly object: 'fine_tuning.job.checkpoint';
  readonly created_at: number;
  readonly fine_tuned_model_checkpoint: string;
  readonly fine_tuning_job_id: string;
  /** The last step of the epoch, from 1. */
  readonly step_number: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** A job as its response shows it (2 Fine-tuning job). All times are Unix seconds. */
export interface JobObject {
  readonly object: 'fine_tuning.job';
  readonly id: string;
  readonly created_at: number;
  /** Set when the job has failed. */
  error: { readonly code: string; readonly message: string; readonly param: string | null } | null;
  /** Null until the job has succeeded. */
  fine_tuned_model: string | null;
  /** Null until a final state. */
  finished_at: number | null;
  /** `auto` values become numbers when the training starts. */
  hyperparameters: JsonObject;
  readonly model: string;
  /** The service has one organization. */
  readonly organization_id: string;
  /** Ids of result files; empty until the job has succeeded. */
  result_files: readonly string[];
  status: JobStatus;
  /** Tokens of the examples times epochs; null until the job has succeeded. */
  trained_tokens: number | null;
  readonly training_file: string;
  readonly validation_file: string | null;
  /** Repeats the request; this service integrates nothing. */
  readonly integrations: readonly JsonObject[] | null;
  /** The requested seed, or one derived from the id. */
  readonly seed: number;
  /** Set while the job runs. */
  estimated_finish: number | null;
}

/** A job with its internal state. */
export interface Job {
  readonly id: string;
  /** The response, changed in place by each transition. */
  readonly shown: JobObject;
  /** Part of the id of the new model; may be empty. */
  readonly suffix: string;
  /** When transitions are due. */
  readonly progress: StateProgress;
  readonly events: Collection<JobEvent>;
  readonly checkpoints: Collection<Checkpoint>;
  /** Advances the job once at a time, so that two retrievals never make the same transition twice. */
  readonly turns: SerialQueue;
  /** Transitions made so far. */
  moved: number;
}

/** True in a final state. */
export function endedJob({ status }: JobObject): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
