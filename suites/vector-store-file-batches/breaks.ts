import type { Exchange } from '../../exchange/exchange.ts';
import { calls, everywhere } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { type Edit, put } from '../../judge/edit/values.ts';
import { text } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';

/** One break after the other; null where none of them applies. */
export function both(first: Break, second: Break): Break {
  return (trace) => {
    const changed = first(trace);
    return second(changed ?? trace) ?? changed;
  };
}

/** Every batch that was told to have left in_progress is told to be back there. */
export function back(trace: readonly Exchange[]): readonly Exchange[] | null {
  const left = new Set<string>();
  const changed = trace.map((exchange) => {
    if (!calls(exchange, 'retrieveVectorStoreFileBatch')) return exchange;
    const { target } = exchange.request;
    if (left.has(target)) return withAnswer(exchange, put('/status', 'in_progress'));
    if (text(exchange.response?.body.json?.value, 'status') !== 'in_progress') left.add(target);
    return exchange;
  });
  return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
}

/** Edits what is retrieved of batches that nobody has cancelled, or only of the others. */
export function retrieved(of: 'cancelled' | 'not cancelled', edit: Edit): Break {
  return (trace) => {
    const targets = trace.map(({ request }) => request.target).filter((target) => target.endsWith('/cancel'));
    const cancelled = new Set(targets.map((target) => target.slice(0, -'/cancel'.length)));
    return everywhere('retrieveVectorStoreFileBatch', (exchange) =>
      cancelled.has(exchange.request.target) === (of === 'cancelled') ? withAnswer(exchange, edit) : exchange,
    )(trace);
  };
}
