import { callerOf } from '../../../../judge/trace/call.ts';
import type { OutsideCall } from '../../../../judge/trace/outside-call.ts';
import { LruMap } from '../../../vocabulary/collecting.ts';
import { numberAt, textAt } from '../../../vocabulary/json.ts';
import type { Call } from '../../../vocabulary/types.ts';
import type { ListRow } from '../rows.ts';
import { type AnsweredPage, LASTING_FILTERS } from './page.ts';
import { endedBefore, RemovedElements, type TraceSpan } from './removals.ts';

/** An object that was in a list at some time of the trace. */
export interface KnownElement extends TraceSpan {
  readonly id: string;
  /** Unix seconds; undefined where no response stated it. */
  readonly created: number | undefined;
  /** Id of the exchange that showed it first. */
  readonly exchange: string;
  /** True where that exchange created it; false where it only showed it. */
  readonly made: boolean;
  /** Ids of the owners in the path of the list, outermost first. */
  readonly owners: readonly string[];
  /** Values of the fields that lists can be filtered by, as far as they never change. */
  readonly facets: Readonly<Record<string, string>>;
}

/** An element as a response shows it. */
interface ElementSighting extends Pick<KnownElement, 'owners' | 'id' | 'made'> {
  /** Whom it was shown to. */
  readonly caller: string;
  readonly value: Call['responseJson'];
}

/** At most so many lists are stored, and so many elements of each; the least recently used are dropped. */
const LISTS = 2000;
const ELEMENTS = 1000;
/** Callers that one element is known of; further ones are not judged by it. */
const CALLERS = 16;

/**
 * The elements of a list as far as the trace shows them: objects that it created, and in lists below an owner
 * also objects that it saw.
 */
export class KnownElements {
  readonly #row: ListRow;
  /** By the owners of the list, then by id, then by whom the element was shown to. */
  readonly #lists = new LruMap<LruMap<Map<string, KnownElement>>>(LISTS);
  readonly #removals = new RemovedElements();

  constructor(row: ListRow) {
    this.#row = row;
  }

  /** Records a call that created an element. */
  made(call: Call): void {
    const id = textAt(call.responseJson, 'id');
    if (id !== undefined)
      this.#learn(call, {
        caller: callerOf(call.exchange.request),
        owners: ownersOf(this.#row, call),
        id,
        value: call.responseJson,
        made: true,
      });
  }

  /** Records a page of a list that belongs to an owner; other clients may change a list of the organisation. */
  saw({ call, caller, owners, elements }: AnsweredPage): void {
    if (this.#row.traits.scope === 'organisation') return;
    for (const { id, value } of elements) this.#learn(call, { caller, owners, id, value, made: false });
  }

  /** Records a call that may have removed elements. A rejected one has not. */
  disturbed(call: Call): void {
    if (['rejected', 'refused', 'absent'].includes(call.responseClass)) return;
    for (const id of Object.values(call.path)) this.#removals.note(`near ${id}`, call.exchange);
    const target = Object.values(call.path).at(-1);
    if (target === undefined) return;
    this.#removals.note(target, call.exchange);
    this.#lists.get(keyOf(ownersOf(this.#row, call)))?.delete(target);
  }

  /** Records a call outside the specification, which may have removed its target. */
  outside({ exchange, target, owners }: OutsideCall): void {
    for (const id of [target, ...owners]) this.#removals.note(`near ${id}`, exchange);
    this.#removals.note(target, exchange);
    this.#lists.get(keyOf(owners))?.delete(target);
  }

  /** Elements that were in the list from before the first page until after the last one, by the trace so far. */
  stable(first: AnsweredPage, last: AnsweredPage): readonly KnownElement[] {
    const list = this.#lists.get(keyOf(first.owners));
    if (list === undefined) return [];
    const asked = Object.entries(first.filters);
    return [...list.values()].flatMap((shown) => {
      const known = shown.get(first.caller);
      if (known === undefined) return [];
      const fits = asked.every(([name, value]) => known.facets[name] === value);
      const isThere =
        fits && endedBefore(known, first.call.exchange) && !this.isGone(known, last.call.exchange);
      return isThere ? [known] : [];
    });
  }

  /** The element of this id in the list of these owners; null where the trace has not shown it. */
  known({ caller, owners }: Pick<AnsweredPage, 'caller' | 'owners'>, id: string | null): KnownElement | null {
    return id === null ? null : (this.#lists.get(keyOf(owners))?.get(id)?.get(caller) ?? null);
  }

  /** Whether a call may have removed it before the end of `until`. */
  isGone(known: KnownElement, until: TraceSpan): boolean {
    return this.#removals.touched([known.id, ...known.owners], known, until);
  }

  /** Whether a call may have removed anything of these owners between two moments. */
  isDisturbed(owners: readonly string[], since: TraceSpan, until: TraceSpan): boolean {
    const near = owners.map((id) => `near ${id}`);
    return this.#removals.touched(near, since, until);
  }

  #learn({ exchange }: Call, { caller, owners, id, value, made }: ElementSighting): void {
    const list = this.#lists.at(keyOf(owners), () => new LruMap(ELEMENTS));
    const shown = list.at(id, () => new Map());
    const before = shown.get(caller);
    // An object created again under an old id, such as a file attached again, counts from then on.
    if (before !== undefined && !made && !this.isGone(before, exchange)) return;
    const facets = LASTING_FILTERS.flatMap((name) => {
      const facet = textAt(value, name);
      return facet === undefined ? [] : [[name, facet] as const];
    });
    if (before === undefined && shown.size >= CALLERS) return;
    shown.set(caller, {
      id,
      created: numberAt(value, 'created_at'),
      exchange: exchange.id,
      after: exchange.after,
      ended: exchange.ended,
      made,
      owners,
      facets: Object.fromEntries(facets),
    });
  }
}

/** Ids of the owners in the path of a call, in the order of the list's path parameters. */
function ownersOf(row: ListRow, call: Call): readonly string[] {
  return row.parents.map((name) => call.path[name] ?? '');
}

function keyOf(owners: readonly string[]): string {
  return JSON.stringify(owners);
}
