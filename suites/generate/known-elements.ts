import { callerOf } from '../../judge/trace/caller-identity.ts';
import type { OutsideCall } from '../../judge/trace/outside-call.ts';
import { LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { numberAt, textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, TraceSpan } from '../vocabulary/types.ts';
import { LASTING_FILTERS, type ListPage } from './list-pages.ts';
import type { ListRow } from './lists.ts';

export interface KnownElement extends TraceSpan {
  readonly id: string;
  /** Id of the exchange that created the element, or showed it first. */
  readonly exchange: string;
  /** Creation time in Unix seconds; undefined if the response of `exchange` does not state it. */
  readonly created: number | undefined;
  readonly isCreated: boolean;
  readonly owners: readonly string[];
  /** Values of the properties that `LASTING_FILTERS` filter by. */
  readonly facets: Readonly<Record<string, string>>;
}

interface ElementSighting extends Pick<KnownElement, 'owners' | 'id' | 'isCreated'> {
  readonly caller: string;
  readonly value: Call['responseJson'];
}

/** Maximum numbers of lists, of elements per list, and of callers per element. */
const MAX_LISTS = 2000;
const MAX_ELEMENTS = 1000;
const MAX_CALLERS = 16;

/** The elements of the lists of one operation: those that the trace created or, in lists below an owner, showed. */
export class KnownElements {
  readonly #row: ListRow;
  readonly #lists = new LruMap<LruMap<Map<string, KnownElement>>>(MAX_LISTS);
  readonly #removals = new Timeline();
  readonly #disturbances = new Timeline();

  constructor(row: ListRow) {
    this.#row = row;
  }

  recordCreation(call: Call): void {
    const id = textAt(call.responseJson, 'id');
    if (id !== undefined)
      this.#learn(call, {
        caller: callerOf(call.exchange.request),
        owners: ownersOf(this.#row, call),
        id,
        value: call.responseJson,
        isCreated: true,
      });
  }

  /** Records the elements of a page, but not in lists of the organization, which other clients may change. */
  recordPage({ call, caller, owners, elements }: ListPage): void {
    if (this.#row.traits.scope === 'organization') return;
    for (const { id, value } of elements) this.#learn(call, { caller, owners, id, value, isCreated: false });
  }

  recordDisturbance(call: Call): void {
    if (!mayHaveSucceeded(call)) return;
    const ids = Object.values(call.path);
    for (const id of ids) this.#disturbances.note(id, call.exchange);
    const target = ids.at(-1);
    if (target === undefined) return;
    this.#removals.note(target, call.exchange);
    this.#lists.get(keyOf(ownersOf(this.#row, call)))?.delete(target);
  }

  outside({ exchange, target, owners }: OutsideCall): void {
    for (const id of [target, ...owners]) this.#disturbances.note(id, exchange);
    this.#removals.note(target, exchange);
    this.#lists.get(keyOf(owners))?.delete(target);
  }

  /** Elements that were in the list before the first page was requested, and are not known to have left it since. */
  findStable(first: ListPage, last: ListPage): readonly KnownElement[] {
    const list = this.#lists.get(keyOf(first.owners));
    if (list === undefined) return [];
    const filters = Object.entries(first.filters);
    const stable: KnownElement[] = [];
    for (const byCaller of list.values()) {
      const known = byCaller.get(first.caller);
      if (known === undefined) continue;
      const fits = filters.every(([name, value]) => known.facets[name] === value);
      if (fits && precedes(known, first.call.exchange) && !this.isGone(known, last.call.exchange))
        stable.push(known);
    }
    return stable;
  }

  find({ caller, owners }: Pick<ListPage, 'caller' | 'owners'>, id: string | null): KnownElement | null {
    return id === null ? null : (this.#lists.get(keyOf(owners))?.get(id)?.get(caller) ?? null);
  }

  isGone(known: KnownElement, until: TraceSpan): boolean {
    return this.#removals.isChanged([known.id, ...known.owners], known, until);
  }

  isDisturbed(owners: readonly string[], since: TraceSpan, until: TraceSpan): boolean {
    return this.#disturbances.isChanged(owners, since, until);
  }

  #learn({ exchange }: Call, { caller, owners, id, value, isCreated }: ElementSighting): void {
    const list = this.#lists.at(keyOf(owners), () => new LruMap(MAX_ELEMENTS));
    const byCaller = list.at(id, () => new Map());
    const earlier = byCaller.get(caller);
    // An object may be created again under the same id: a file can be attached again. It counts from then on.
    if (earlier !== undefined && !isCreated && !this.isGone(earlier, exchange)) return;
    const facets = LASTING_FILTERS.flatMap((name) => {
      // A user message may carry the id of the run whose request created it, but no run produces it.
      const isForeign = name === 'run_id' && textAt(value, 'role') === 'user';
      const facet = textAt(value, name);
      return facet === undefined || isForeign ? [] : [[name, facet] as const];
    });
    if (earlier === undefined && byCaller.size >= MAX_CALLERS) return;
    byCaller.set(caller, {
      id,
      created: numberAt(value, 'created_at'),
      exchange: exchange.id,
      after: exchange.after,
      ended: exchange.ended,
      isCreated,
      owners,
      facets: Object.fromEntries(facets),
    });
  }
}

function ownersOf(row: ListRow, call: Call): readonly string[] {
  return row.parents.map((name) => call.path[name] ?? '');
}

function keyOf(owners: readonly string[]): string {
  return JSON.stringify(owners);
}
