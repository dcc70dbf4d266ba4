// Mutations of the states of vector store file batches.

import { callsOperation, inEveryResponse, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Edit, Exchange, Mutation } from '../vocabulary/types.ts';

/** Every batch that was reported to have left in_progress is reported as in_progress again. */
export function backToInProgress(trace: readonly Exchange[]): readonly Exchange[] | null {
  // Targets of batches that were reported in another state.
  const left = new Set<string>();
  const changed = trace.map((exchange) => {
    if (!callsOperation(exchange, 'retrieveVectorStoreFileBatch')) return exchange;
    const { target } = exchange.request;
    if (left.has(target)) return withResponseJson(exchange, setValue('/status', 'in_progress'));
    if (textAt(exchange.response?.body.json?.value, 'status') !== 'in_progress') left.add(target);
    return exchange;
  });
  return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
}

/** Edits the retrieved batches that no request has cancelled, or only the others. */
export function editRetrieved(of: 'cancelled' | 'not cancelled', edit: Edit): Mutation {
  return (trace) => {
    // A cancellation has the path of its batch, with a word behind it.
    const targets = trace.map(({ request }) => request.target).filter((target) => target.endsWith('/cancel'));
    const cancelled = new Set(targets.map((target) => target.slice(0, -'/cancel'.length)));
    return inEveryResponse('retrieveVectorStoreFileBatch', (exchange) =>
      cancelled.has(exchange.request.target) === (of === 'cancelled')
        ? withResponseJson(exchange, edit)
        : exchange,
    )(trace);
  };
}
