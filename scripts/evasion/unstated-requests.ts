// Valid requests of a run of which the specification does not say that every service accepts them, and that no choice names.
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { DistinctRequest } from './recorded-run.ts';

/** Requests that a service may refuse. A whole proof fails where an entry is not needed. */
export interface UnstatedRequestKind {
  /** Names the entry in the result of the proof. */
  readonly id: string;
  readonly spec: string;
  readonly reason: string;
  readonly holds: (request: DistinctRequest) => boolean;
}

export const UNSTATED_REQUESTS: readonly UnstatedRequestKind[] = [
  {
    id: 'empty-files',
    spec: '2 Files',
    reason:
      'Nothing is said of files without content, and another upload does not show that this one is good.',
    holds: ({ operation, exchanges: [first] }) =>
      operation === 'createFile' && first !== undefined && hasEmptyFile(first.request),
  },
];

/** The entry that leaves open whether a request is accepted; null where it has to be. */
export function unstatedRequest(request: DistinctRequest): UnstatedRequestKind | null {
  return UNSTATED_REQUESTS.find(({ holds }) => holds(request)) ?? null;
}

function hasEmptyFile(request: DistinctRequest['exchanges'][number]['request']): boolean {
  return (formDataParts(request) ?? []).some(({ filename, body }) => filename !== null && body.size === 0);
}
