// Mutations for requirements that judge jobs on invalid files by their eventual outcome.

import { allEdits, callsOperation, isSuccessOf, setValue, succeedInstead } from '../../vocabulary/changes.ts';
import { withResponseJson } from '../../vocabulary/exchanges.ts';
import type { Mutation } from '../../vocabulary/types.ts';

/** A job with an invalid file, accepted as if the file were valid, that has succeeded when it is looked up later. */
export function succeedEventually(create: string, retrieve: string, good: string): Mutation {
  return (trace) => {
    const taken = succeedInstead(create, ({ id }) => ({ id: `work_${id}`, status: 'in_progress' }))(trace);
    const look = trace.find(
      (exchange) => callsOperation(exchange, retrieve) && isSuccessOf(exchange, retrieve),
    );
    if (taken === null || look === undefined) return null;
    const over = Math.max(...trace.map(({ ended }) => ended));
    const looks = taken.flatMap(({ id }, i) => {
      if (taken[i] === trace[i]) return [];
      const made = `work_${id}`;
      const later = withResponseJson(look, allEdits(setValue('/id', made), setValue('/status', good)));
      const request = { ...look.request, target: look.request.target.replace(/[^/]+$/, made) };
      return [{ ...later, id: `later_${id}`, after: over, ended: over + 1 + i, request }];
    });
    return [...taken, ...looks];
  };
}
