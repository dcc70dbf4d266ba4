import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about vector stores that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'vector-stores.expiry.moment',
    spec: '1 Vector store',
    says: 'A store expires so many seconds after a moment that its policy counts from.',
    reason: 'Which moment that is is not shown, nor how a store comes to be expired.',
  },
  {
    id: 'vector-stores.states.transitions-shown',
    spec: '1 Vector store',
    says: 'A store moves between its three states.',
    reason: 'The transitions are not shown; those that are seen are reported as a choice.',
  },
  {
    id: 'vector-stores.completed.ready',
    spec: '1 Vector store',
    says: 'A completed store is ready to use.',
    reason: 'Only a model that chooses to search it would show that.',
  },
  {
    id: 'vector-stores.search.reads',
    spec: '1 What the service does',
    says: 'The file_search tool of an assistant reads the store.',
    reason: 'Whether and what a model searches is its own choice.',
  },
  {
    id: 'vector-stores.usage.total',
    spec: '1 Vector store',
    says: 'The bytes that a store uses are those of all its files together.',
    reason: 'How many bytes a file takes is up to the store; whether they add up is reported as a choice.',
  },
];
