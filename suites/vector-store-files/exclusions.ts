import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about files in vector stores that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'vector-store-files.states.transitions-shown',
    spec: '1 Vector store file',
    says: 'A file in a store moves between its four states.',
    reason: 'The transitions are not shown; those that are seen are reported as a choice.',
  },
  {
    id: 'vector-store-files.completed.ready',
    spec: '1 Vector store file',
    says: 'A completed file is ready to be searched.',
    reason: 'Only a model that chooses to search it would show that.',
  },
  {
    id: 'vector-store-files.usage.differs',
    spec: '1 Vector store file',
    says: 'The bytes that a file uses in a store may differ from its own size.',
    reason: 'It is a permission; whether they differ is reported as a choice.',
  },
  {
    id: 'vector-store-files.last-error.inside',
    spec: '1 Vector store file',
    says: 'What last_error tells.',
    reason: 'Its fields are not shown; those that are seen are reported as a choice.',
  },
];
