import type { Exchange } from '../../exchange/exchange.ts';
import { isNote } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';

/** An equivalent mutant that changes every exchange of a trace. */
export function inEachExchange(name: string, change: (exchange: Exchange) => Exchange): EquivalentMutant {
  return { name, apply: (items) => items.map((item) => (isNote(item) ? item : change(item))) };
}
