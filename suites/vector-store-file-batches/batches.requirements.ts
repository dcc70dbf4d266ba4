import { rowOf } from '../rows/rows.ts';
import { inEveryCall, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Mutation } from '../vocabulary/types.ts';
import { statusObservations } from './batches.ts';

export const vectorStoreFileBatchesStatesNeverBack = rowOf('vector-store-file-batches.states.never-back', {
  evidence: statusObservations,
  broken_by: { 'back in progress': backToInProgress() },
});

/** Each batch is in progress again once a look-up has shown that it no longer is. */
function backToInProgress(): Mutation {
  return (trace) => {
    const finished = new Set<string>();
    return inEveryCall('retrieveVectorStoreFileBatch', (exchange) => {
      const { target } = exchange.request;
      if (finished.has(target)) return withResponseJson(exchange, setValue('/status', 'in_progress'));
      if (textAt(exchange.response?.body.json?.value, 'status') !== 'in_progress') finished.add(target);
      return exchange;
    })(trace);
  };
}
