// Points that the specification leaves open without a choice: valid requests that a service may refuse, and content of
// responses that it may hide. A proof of the whole run fails if an entry is not needed.
import { readFileSync } from 'node:fs';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { HiddenAnswer } from './hidden-answers.ts';
import type { DistinctRequest } from './recorded-run.ts';

interface UnstatedPoint {
  readonly id: string;
  readonly spec: string;
  readonly reason: string;
}

export const UNSTATED_REQUESTS: readonly (UnstatedPoint & {
  readonly holds: (request: DistinctRequest) => boolean;
})[] = [
  {
    id: 'empty-files',
    spec: '2 Files',
    reason:
      'The specification does not mention empty files, and another upload does not show that an empty one is valid.',
    holds: ({ operation, exchanges: [first] }) =>
      operation === 'createFile' &&
      first !== undefined &&
      (formDataParts(first.request) ?? []).some(({ filename, body }) => filename !== null && body.size === 0),
  },
];

interface UnstatedContent extends UnstatedPoint {
  /** Ids of operations; all by default. */
  readonly operations?: readonly string[];
  /** Names of events; by default any, and responses that are not streams. */
  readonly events?: readonly string[];
  /** Pointers with `*` for list indexes and free names, including everything below; by default the whole event. */
  readonly places?: readonly string[];
}

export const UNSTATED_CONTENT: readonly UnstatedContent[] = JSON.parse(
  readFileSync(new URL('unstated-content.json', import.meta.url), 'utf8'),
);

export function unstatedRequest(request: DistinctRequest): UnstatedPoint | null {
  return UNSTATED_REQUESTS.find(({ holds }) => holds(request)) ?? null;
}

export function unstatedContent({ kind, operation, event, place }: HiddenAnswer): UnstatedPoint | null {
  // The specification states how streams end.
  if (kind === 'cut-stream') return null;
  return (
    UNSTATED_CONTENT.find(
      ({ operations = [operation], events, places }) =>
        operations.includes(operation) &&
        (events === undefined || (event !== null && events.includes(event))) &&
        (places === undefined
          ? events !== undefined
          : places.some((one) => place === one || place?.startsWith(`${one}/`) === true)),
    ) ?? null
  );
}
