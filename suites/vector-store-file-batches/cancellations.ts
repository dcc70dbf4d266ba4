import type { Selector } from '../../judge/requirement.ts';
import { type Cancellation, cancellations as cancellationsOf } from '../generate/cancellations.ts';
import { batchOf, telling } from './moments.ts';

const plan = {
  cancel: 'cancelVectorStoreFileBatch',
  telling,
  running: ['in_progress'],
  about: batchOf,
} as const;

/** Cancellations of batches that were in progress: accepted ones, and refused ones that something follows. */
export function cancellations(): Selector<Cancellation> {
  return cancellationsOf(plan);
}
