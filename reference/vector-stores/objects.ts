// Vector stores, their files and file batches as the service keeps them (1 Vector stores).
import type { Metadata } from '../runs/objects.ts';
import type { Collection } from '../state/collection.ts';
import type { StateProgress } from '../state/state-progress.ts';

/** Seconds after the last use; `anchor` and `days` are the customary way to say the same. */
export interface Expiry {
  readonly duration: number;
  readonly anchor?: string;
  readonly days?: number;
}

/** A vector store. Its status and counts are computed from its files and the clock. */
export interface Store {
  readonly id: string;
  readonly created_at: number;
  name: string | null;
  metadata: Metadata;
  /** Null for a store that never expires. */
  expires_after: Expiry | null;
  /** Unix seconds of the last use, from which the expiry counts. */
  last_active_at: number;
  readonly files: Collection<StoreFile>;
  /** File batches of this store; their ids are unknown in other stores. */
  readonly batches: Collection<FileBatch>;
}

/** A file in a vector store; it has the id of the file. */
export interface StoreFile {
  readonly id: string;
  readonly created_at: number;
  readonly vector_store_id: string;
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  /** 0 until the file is completed. */
  usage_bytes: number;
  /** Set when the file has failed. */
  last_error: { readonly code: string; readonly message: string } | null;
  /** True once its batch was cancelled: its next state is `cancelled`. */
  doomed: boolean;
  readonly progress: StateProgress;
}

/** Files of a store or batch by state. */
export interface FileCounts {
  in_progress: number;
  completed: number;
  failed: number;
  cancelled: number;
  total: number;
}

/** Files that were added to a store by one request. */
export interface FileBatch {
  readonly id: string;
  readonly created_at: number;
  readonly vector_store_id: string;
  status: 'in_progress' | 'completed' | 'cancelling' | 'cancelled' | 'failed';
  readonly files: Collection<StoreFile>;
  /** How many files were given again and are counted again. */
  readonly repeats: number;
  progress: StateProgress;
}
