import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about file batches that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'vector-store-file-batches.cancel.soon',
    spec: '1 Vector store file batch',
    says: 'The files that remain when a batch is cancelled are cancelled as soon as possible.',
    reason: 'No bound is stated; the states in which they end are reported as a choice.',
  },
  {
    id: 'vector-store-file-batches.states.transitions-shown',
    spec: '1 Vector store file batch',
    says: 'A batch moves to completed, cancelled or failed.',
    reason: 'The moment is not shown; the transitions that are seen are reported as choices.',
  },
];
