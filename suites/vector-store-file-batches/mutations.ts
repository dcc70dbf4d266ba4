import type { Exchange } from '../../exchange/exchange.ts';
import { textAt } from '../../judge/evidence/json.ts';
import { withResponseJson } from '../../judge/mutations/exchanges.ts';
import { callsOperation, inEveryResponse } from '../../judge/mutations/mutations.ts';
import { type Edit, setValue } from '../../judge/mutations/values.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';

/** One break after the other; null where none of them applies. */
export function bothMutations(first: Mutation, second: Mutation): Mutation {
  return (trace) => {
    const changed = first(trace);
    return second(changed ?? trace) ?? changed;
  };
}

/** Every batch that was told to have left in_progress is told to be back there. */
export function backToInProgress(trace: readonly Exchange[]): readonly Exchange[] | null {
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

/** Edits what is retrieved of batches that nobody has cancelled, or only of the others. */
export function editRetrieved(of: 'cancelled' | 'not cancelled', edit: Edit): Mutation {
  return (trace) => {
    const targets = trace.map(({ request }) => request.target).filter((target) => target.endsWith('/cancel'));
    const cancelled = new Set(targets.map((target) => target.slice(0, -'/cancel'.length)));
    return inEveryResponse('retrieveVectorStoreFileBatch', (exchange) =>
      cancelled.has(exchange.request.target) === (of === 'cancelled')
        ? withResponseJson(exchange, edit)
        : exchange,
    )(trace);
  };
}
