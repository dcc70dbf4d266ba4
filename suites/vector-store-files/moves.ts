import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { telling, toldBy } from './told.ts';

/** Two answers after each other that tell different states of one file in a store. */
export interface Move extends Evidence {
  readonly from: string;
  readonly to: string;
}

interface State {
  readonly status: string;
  readonly call: Call;
}

export function moves(): Selector<Move> {
  return { operations: telling, variant: null, collect: () => new MoveCollector() };
}

class MoveCollector implements Collector<Move> {
  readonly #states = new Keyed<State>();

  call(call: Call): readonly Move[] {
    return toldBy(call).flatMap(({ store, file, value }) => {
      const status = text(value, 'status');
      const key = `${store}/${file}`;
      const before = this.#states.get(key);
      if (status === undefined || (before && !precedes(before.call.exchange, call.exchange))) return [];
      this.#states.set(key, { status, call });
      if (before === undefined || before.status === status) return [];
      return [{ from: before.status, to: status, exchanges: [before.call.exchange, call.exchange] }];
    });
  }

  finish(): readonly Move[] {
    return [];
  }
}
