import type { Json } from '../../exchange/body.ts';
import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { get, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { same } from '../../judge/schema/kinds.ts';
import { mayHaveWorked } from '../../judge/selectors/relations.ts';
import { Additions, adding } from './additions.ts';
import { Endings } from './endings.ts';
import { filterOf, idsOf, wholePage } from './page.ts';
import { Removals, removing } from './removals.ts';

/** A completed store or batch that says the same of its files before and after a list of all of them. */
export interface Tally extends Evidence {
  /** The answer after the list. */
  readonly told: Json;
  readonly files: readonly Json[];
}

export interface TallyPlan {
  readonly tell: string;
  readonly list: string;
  /** Operations that add to what is listed. */
  readonly add: readonly string[];
}

interface Open {
  readonly before: Call;
  readonly page: Call | null;
}

interface Waiting {
  readonly tally: Tally;
  readonly before: Call;
  readonly after: Call;
}

/** So many tallies wait for the end of the trace. */
const WAITING = 200;

/** Counts and the list that they count, where nothing was moving and nothing has ever left the store. */
export function tallies(plan: TallyPlan): Selector<Tally> {
  return {
    operations: [plan.tell, plan.list, ...adding, ...removing],
    variant: null,
    collect: () => new TallyCollector(plan),
  };
}

class TallyCollector implements Collector<Tally> {
  readonly #plan: TallyPlan;
  readonly #open = new Keyed<Open>();
  readonly #removals = new Removals();
  readonly #additions = new Endings();
  readonly #files = new Additions();
  readonly #waiting: Waiting[] = [];

  constructor(plan: TallyPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly Tally[] {
    const { id } = call.operation;
    this.#removals.note(call);
    this.#files.note(call);
    if (id === this.#plan.tell && call.answer !== undefined) this.#told(call);
    else if (id === this.#plan.list) this.#listed(call);
    else if (this.#plan.add.includes(id) && mayHaveWorked(call))
      this.#additions.note(storeOf(call), call.exchange);
    return [];
  }

  finish(): readonly Tally[] {
    return this.#waiting.flatMap(({ tally, before, after }) => {
      const store = storeOf(after);
      const isChanged =
        this.#files.anyTwice(store) ||
        this.#removals.thinned(store, idsOf(tally.files), after.exchange) ||
        this.#additions.between([store], before.exchange, after.exchange);
      return isChanged ? [] : [tally];
    });
  }

  #listed(page: Call): void {
    const before = this.#open.get(keyOf(page))?.before;
    if (before === undefined || filterOf(page) !== null || wholePage(page) === null) return;
    if (precedes(before.exchange, page.exchange)) this.#open.set(keyOf(page), { before, page });
  }

  #told(after: Call): void {
    const { before, page = null } = this.#open.get(keyOf(after)) ?? {};
    const isDone = text(after.answer, 'status') === 'completed';
    if (isDone) this.#open.set(keyOf(after), { before: after, page: null });
    else this.#open.delete(keyOf(after));
    if (!isDone || before === undefined || page === null) return;
    if (!precedes(page.exchange, after.exchange) || this.#waiting.length >= WAITING) return;
    if (!same(get(before.answer, 'file_counts'), get(after.answer, 'file_counts'))) return;
    const exchanges = [before.exchange, page.exchange, after.exchange];
    const tally = { told: after.answer ?? null, files: wholePage(page) ?? [], exchanges };
    this.#waiting.push({ tally, before, after });
  }
}

function keyOf({ path }: Call): string {
  return JSON.stringify(Object.values(path));
}

function storeOf({ path }: Call): string {
  return path['vector_store_id'] ?? '';
}
