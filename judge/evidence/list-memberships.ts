import { type Exchange, precedes } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { callerOf } from '../trace/caller-identity.ts';
import { arrayAt, textAt, valueAtPath } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import { mayHaveSucceeded } from '../trace/response-class.ts';
import { keepOlder, MAX_HELD_PER_OBJECT } from './successions.ts';

const MAX_OBJECTS = 1_000;
const MAX_READINGS = 32;
const MAX_ELEMENTS = 10_000;

/** An object that was created before a list was requested, and its element in the list. */
export interface ListMembership extends Evidence {
  /** Id of the object. */
  readonly id: string;
  /** The response to the creation of the object. */
  readonly created: Json;
  /** The successful call of the list operation. */
  readonly list: Call;
  /** Undefined if the list lacks the object. */
  readonly element: Json | undefined;
}

/** An object that was deleted before a list was requested, and whether the list still has it. */
export interface ListAbsence extends Evidence {
  /** Id of the deleted object. */
  readonly id: string;
  /** The successful call of the list operation. */
  readonly list: Call;
  /** Position in the list; -1 if the list lacks the object. */
  readonly index: number;
}

export interface MembershipPlan {
  readonly create: string;
  readonly remove?: string;
  /** Operations that may also delete the element, whose id is last in their path; whether they do is a choice. */
  readonly mayRemove?: readonly string[];
  readonly list: string;
  /**
   * Whether an object belongs in the list that was requested. `isThere`: the list has it. Default: all do, except
   * missing ones that a parameter of the query may have excluded.
   */
  readonly belongs?: (created: Json, list: Call, isThere: boolean) => boolean;
}

/** Objects created before a list was requested, and not deleted before it arrived. Pages must be in sequence. */
export function memberships(plan: MembershipPlan): Selector<ListMembership> {
  const { create, remove, mayRemove = [], list } = plan;
  return {
    operations: [list, create, ...mayRemove, ...(remove === undefined ? [] : [remove])],
    variant: null,
    needs: `a list of ${list} that began after ${create} had answered with an id, and that the object belongs in`,
    collect: () => new MembershipCollector(plan),
  };
}

/** Objects that were deleted before a list was requested. Only for lists that return everything in one page. */
export function absences({
  remove,
  list: operation,
}: Required<Pick<MembershipPlan, 'remove' | 'list'>>): Selector<ListAbsence> {
  return {
    operations: [operation, remove],
    variant: null,
    needs: `a list of ${operation} that began after ${remove} had answered with deleted true`,
    collect: () => new AbsenceCollector(remove),
  };
}

class AbsenceCollector implements Collector<ListAbsence> {
  readonly #remove: string;
  readonly #deletions = new LruMap<Call>(MAX_OBJECTS);

  constructor(remove: string) {
    this.#remove = remove;
  }

  call(call: Call): readonly ListAbsence[] {
    const { responseJson: answer } = call;
    if (answer === undefined) return [];
    if (call.operation.id === this.#remove) {
      const id = Object.values(call.path).at(-1);
      if (id !== undefined && valueAtPath(answer, 'deleted') === true) this.#deletions.set(id, call);
      return [];
    }
    const ids = arrayAt(answer, 'data').map((element) => textAt(element, 'id'));
    return [...this.#deletions.entries()]
      .filter(([, { exchange }]) => precedes(exchange, call.exchange))
      .map(([id, { exchange }]) => {
        return { id, list: call, index: ids.indexOf(id), exchanges: [exchange, call.exchange] };
      });
  }

  /** The call may have restored its target. */
  outside({ target, deletes }: OutsideCall): void {
    if (!deletes) this.#deletions.delete(target);
  }
}

interface ListReading {
  readonly first: Call;
  readonly last: Call;
  readonly elements: ReadonlyMap<string | undefined, Json>;
}

class MembershipCollector implements Collector<ListMembership> {
  readonly #plan: MembershipPlan;
  readonly #created = new LruMap<{ readonly call: Call; readonly answer: Json }>(MAX_OBJECTS);
  /** By id; held until the end of the trace, because a deletion in flight may explain them. */
  readonly #missing = new LruMap<ListMembership[]>();
  readonly #readings = new LruMap<ListReading>(MAX_READINGS);

  constructor(plan: MembershipPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly ListMembership[] {
    const { create, remove, mayRemove = [] } = this.#plan;
    const { responseJson: answer } = call;
    const isRemoval = call.operation.id === remove || mayRemove.includes(call.operation.id);
    if (isRemoval && mayHaveSucceeded(call))
      this.#remove(Object.values(call.path).at(-1) ?? '', call.exchange);
    if (answer === undefined || isRemoval) return [];
    if (call.operation.id !== create) return this.#findMembers(call, answer);
    const id = textAt(answer, 'id');
    if (id !== undefined) this.#created.set(id, { call, answer });
    return [];
  }

  /** The call may have removed its target. */
  outside({ target, exchange }: OutsideCall): void {
    this.#remove(target, exchange);
  }

  finish(): readonly ListMembership[] {
    return [...this.#missing.values()].flat();
  }

  #findMembers(page: Call, answer: Json): readonly ListMembership[] {
    const reading = this.#readTo(page, answer);
    if (reading === null) return [];
    const { belongs = mayBelong } = this.#plan;
    const present: ListMembership[] = [];
    for (const [id, { call, answer: created }] of this.#created.entries()) {
      const element = reading.elements.get(id);
      const isOlder = precedes(call.exchange, reading.first.exchange);
      if (!isOlder || !belongs(created, page, element !== undefined)) continue;
      const evidence = { id, created, list: page, element, exchanges: [call.exchange, page.exchange] };
      if (element === undefined) this.#hold(evidence);
      else present.push(evidence);
    }
    return present;
  }

  /** Null if the page has a cursor with which no known earlier page ended. */
  #readTo(page: Call, answer: Json): ListReading | null {
    const cursor = page.query.get('after');
    const earlier = cursor === null ? undefined : this.#readings.get(readingKey(page, cursor));
    if (cursor !== null && (earlier === undefined || !precedes(earlier.last.exchange, page.exchange)))
      return null;
    const shown = arrayAt(answer, 'data').map((element) => [textAt(element, 'id'), element] as const);
    const elements = new Map([...(earlier?.elements ?? []), ...shown]);
    const reading = { first: earlier?.first ?? page, last: page, elements };
    const [end] = shown.at(-1) ?? [];
    if (end !== undefined && elements.size <= MAX_ELEMENTS)
      this.#readings.set(readingKey(page, end), reading);
    return reading;
  }

  #hold(evidence: ListMembership): void {
    const held = this.#missing.at(evidence.id, () => []);
    if (held.length < MAX_HELD_PER_OBJECT) held.push(evidence);
  }

  #remove(id: string, deletion: Exchange): void {
    this.#created.delete(id);
    keepOlder(this.#missing, id, ({ list: page }) => precedes(page.exchange, deletion));
  }
}

function mayBelong(_: Json, { query }: Call, isThere: boolean): boolean {
  return isThere || [...query.keys()].every((name) => ['after', 'limit', 'order'].includes(name));
}

/** Identifies a reading by caller, list and last element, regardless of `limit`. */
function readingKey({ exchange: { request }, path, query }: Call, end: string): string {
  const others = [...query].filter(([name]) => name !== 'after' && name !== 'limit').toSorted();
  return JSON.stringify([callerOf(request), path, others, end]);
}
