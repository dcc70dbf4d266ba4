// Relates a list to the objects that this trace created and deleted. Only lists that return everything in one
// page prove anything.
import { type Exchange, precedes } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import type { Collector, Evidence, Selector } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';
import type { OutsideCall } from '../../trace/outside-call.ts';
import { arrayAt, textAt, valueAtPath } from '../json.ts';
import { LruMap } from '../lru-map.ts';
import { mayHaveSucceeded } from './relations.ts';

/** Objects that are looked up in every list. */
const CREATED = 1_000;

/** An object that was created before a list began, and what the list says of it. */
export interface ListMembership extends Evidence {
  readonly id: string;
  /** The answer that created it. */
  readonly created: Json;
  readonly list: Call;
  /** The element of the list that has its id; undefined where none has. */
  readonly element: Json | undefined;
}

/** An object that was deleted before a list began, and is or is not in it. */
export interface ListAbsence extends Evidence {
  readonly id: string;
  readonly list: Call;
  /** Its place in the list, or -1. */
  readonly index: number;
}

/** The operations of a list and of the objects in it. */
export interface MembershipPlan {
  readonly create: string;
  /** Left out where nothing takes an object away. */
  readonly remove?: string;
  /** Operations that may delete the element as well, its id last in their path: a choice. */
  readonly mayRemove?: readonly string[];
  readonly list: string;
  /** Whether an object belongs in the list that was requested. Default: every object does. */
  readonly belongs?: (created: Json, list: Call) => boolean;
}

/**
 * For a list that returns everything in one page: each object of this trace that was created before the request
 * for the list began and whose deletion had not begun before it ended.
 */
export function memberships({
  create,
  remove,
  mayRemove = [],
  list: operation,
  belongs = () => true,
}: MembershipPlan): Selector<ListMembership> {
  return {
    operations: [operation, create, ...mayRemove, ...(remove === undefined ? [] : [remove])],
    variant: null,
    needs: `a list of ${operation} that began after ${create} had answered with an id, and that the object belongs in`,
    collect: () =>
      new MembershipCollector({
        create,
        mayRemove,
        list: operation,
        belongs,
        ...(remove === undefined ? {} : { remove }),
      }),
  };
}

/**
 * For a list that returns everything in one page: each object of this trace that was deleted before the request
 * for the list began.
 */
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

/** Holds back objects that a list lacks until no overlapping deletion can appear. */
class MembershipCollector implements Collector<ListMembership> {
  readonly #plan: MembershipPlan & Required<Pick<MembershipPlan, 'belongs'>>;
  readonly #created = new LruMap<{ readonly call: Call; readonly answer: Json }>(CREATED);
  /** Objects that a list lacks, by id, until it is known that no deletion was under way. */
  readonly #missing = new LruMap<ListMembership[]>();

  constructor(plan: MembershipPlan & Required<Pick<MembershipPlan, 'belongs'>>) {
    this.#plan = plan;
  }

  call(call: Call): readonly ListMembership[] {
    const { create, remove, mayRemove = [] } = this.#plan;
    const { responseJson: answer } = call;
    const isRemoval = call.operation.id === remove || mayRemove.includes(call.operation.id);
    if (isRemoval && mayHaveSucceeded(call)) {
      this.#remove(Object.values(call.path).at(-1) ?? '', call.exchange);
    }
    if (answer === undefined || isRemoval) return [];
    if (call.operation.id !== create) return this.#list(call, answer);
    const id = textAt(answer, 'id');
    if (id !== undefined) this.#created.set(id, { call, answer });
    return [];
  }

  /** It may have removed its target. */
  outside({ target, exchange }: OutsideCall): void {
    this.#remove(target, exchange);
  }

  finish(): readonly ListMembership[] {
    return [...this.#missing.values()].flat();
  }

  /** Evidence for each known object that was created before the list was requested. */
  #list(page: Call, answer: Json): readonly ListMembership[] {
    const elements = new Map(arrayAt(answer, 'data').map((element) => [textAt(element, 'id'), element]));
    const found: ListMembership[] = [];
    for (const [id, { call, answer: created }] of this.#created.entries()) {
      if (!precedes(call.exchange, page.exchange) || !this.#plan.belongs(created, page)) continue;
      const element = elements.get(id);
      const evidence = { id, created, list: page, element, exchanges: [call.exchange, page.exchange] };
      if (element === undefined) this.#missing.at(id, () => []).push(evidence);
      else found.push(evidence);
    }
    return found;
  }

  /** Forgets a deleted object, and every list that may overlap its deletion. */
  #remove(id: string, deletion: Exchange): void {
    this.#created.delete(id);
    const missing = this.#missing.get(id) ?? [];
    this.#missing.set(
      id,
      missing.filter(({ list: page }) => precedes(page.exchange, deletion)),
    );
  }
}

class AbsenceCollector implements Collector<ListAbsence> {
  readonly #remove: string;
  readonly #deleted = new LruMap<Call>(CREATED);

  constructor(remove: string) {
    this.#remove = remove;
  }

  call(call: Call): readonly ListAbsence[] {
    const { responseJson: answer } = call;
    if (answer === undefined) return [];
    if (call.operation.id === this.#remove) {
      const id = Object.values(call.path).at(-1);
      if (id !== undefined && valueAtPath(answer, 'deleted') === true) this.#deleted.set(id, call);
      return [];
    }
    const ids = arrayAt(answer, 'data').map((element) => textAt(element, 'id'));
    return [...this.#deleted.entries()]
      .filter(([, deletion]) => precedes(deletion.exchange, call.exchange))
      .map(([id, deletion]) => ({
        id,
        list: call,
        index: ids.indexOf(id),
        exchanges: [deletion.exchange, call.exchange],
      }));
  }

  /** It may have restored its target. */
  outside({ target, deletes }: OutsideCall): void {
    if (!deletes) this.#deleted.delete(target);
  }
}
