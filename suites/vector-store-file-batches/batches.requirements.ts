import { rowOf } from '../rows/rows.ts';
import { inEveryCall, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Mutation } from '../vocabulary/types.ts';
import { statusObservations } from './batches.ts';

const returnToInProgress: Mutation = (trace) => {
  const finished = new Set<string>();
  return inEveryCall('retrieveVectorStoreFileBatch', (exchange) => {
    const { target } = exchange.request;
    if (finished.has(target)) return withResponseJson(exchange, setValue('/status', 'in_progress'));
    const status = textAt(exchange.response?.body.json?.value, 'status');
    if (status !== undefined && status !== 'in_progress') finished.add(target);
    return exchange;
  })(trace);
};

export const vectorStoreFileBatchesStatesNeverBack = rowOf('vector-store-file-batches.states.never-back', {
  evidence: statusObservations,
  broken_by: { 'back in progress': returnToInProgress },
});
