import type { Json } from '../../exchange/body.ts';
import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { keyBelow, runAnswerOf } from './run.ts';

/** An object as one answer, or the last event of a stream about it, tells it. */
export interface Sighting {
  readonly at: string;
  readonly call: Call;
  readonly value: Json;
}

/** The same object, seen again after the earlier answer had ended. */
export interface Return extends Evidence {
  readonly id: string;
  readonly earlier: Sighting;
  readonly later: Sighting;
}

export interface SightingPlan {
  readonly operations: readonly string[];
  /** Objects that an answer tells, and where. */
  readonly find: (call: Call) => readonly { readonly at: string; readonly value: Json }[];
}

/** So many objects are kept in mind. */
const KEPT = 1000;

/** Each object as it was seen twice in a row. What overlapped proves nothing. */
export function returns(plan: SightingPlan): Selector<Return> {
  const { operations } = plan;
  return { operations, variant: null, collect: () => new ReturnCollector(plan) };
}

class ReturnCollector implements Collector<Return> {
  readonly #find: SightingPlan['find'];
  readonly #last = new Keyed<Sighting>(KEPT);

  constructor({ find }: SightingPlan) {
    this.#find = find;
  }

  call(call: Call): readonly Return[] {
    if (call.outcome !== 'accepted') return [];
    return this.#find(call).flatMap(({ at, value }): readonly Return[] => {
      const id = text(value, 'id');
      if (id === undefined) return [];
      const key = keyBelow(threadOf(call), id);
      const earlier = this.#last.get(key);
      const later = { at, call, value };
      this.#last.set(key, later);
      if (earlier === undefined || !precedes(earlier.call.exchange, call.exchange)) return [];
      return [{ id, earlier, later, exchanges: [earlier.call.exchange, call.exchange] }];
    });
  }

  finish(): readonly Return[] {
    return [];
  }
}

function threadOf(call: Call): string | undefined {
  return call.path['thread_id'] ?? text(runAnswerOf(call)?.runs[0]?.run, 'thread_id');
}
