// Evidence about file counts. A count is compared with a complete list only if both neighbouring reports
// agree.

import { follow, LruMap, precedes } from '../../vocabulary/collecting.ts';
import { deepEqual, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { mayHaveSucceeded, that } from '../../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../../vocabulary/types.ts';
import { ADDING_OPERATIONS, FileAdditions } from './additions.ts';
import { ObjectEndings } from './endings.ts';
import { completePage, elementIds, filterOf } from './page.ts';
import { FileRemovals, REMOVING_OPERATIONS } from './removals.ts';

/** A completed store or batch that says the same of its files before and after a list of all of them. */
export interface StoreTally extends Evidence {
  /** The answer after the list. */
  readonly store: Json;
  /** The files of the store, from a complete list between two reports of the same counts. */
  readonly files: readonly Json[];
}

/** The operations that show the counts of an object, and its files. */
export interface TallyPlan {
  readonly retrieve: string;
  readonly list: string;
  /** Operations that add to what is listed. */
  readonly add: readonly string[];
}

/** A report of counts, and a complete list after it, that wait for the next report. */
interface Open {
  readonly before: Call;
  readonly page: Call | null;
}

/** A tally that waits for the end of the trace, when overlapping changes are known. */
interface Waiting {
  readonly tally: StoreTally;
  readonly before: Call;
  readonly after: Call;
}

/** So many tallies wait for the end of the trace. */
const WAITING = 200;

/** Counts and the list that they count, where nothing was moving and nothing has ever left the store. */
export function storeTallies(plan: TallyPlan): Selector<StoreTally> {
  return follow(
    [plan.retrieve, plan.list, ...ADDING_OPERATIONS, ...REMOVING_OPERATIONS],
    () => new TallyCollector(plan),
    `a whole list of ${plan.list} between two equal counts of ${plan.retrieve}`,
  );
}

export const withFiles = that<StoreTally>('with files', ({ files }) => files.length > 0);

/** Compares the counts of an object with its listed files, if nothing changed in between. */
class TallyCollector implements Collector<StoreTally> {
  readonly #plan: TallyPlan;
  readonly #open = new LruMap<Open>();
  readonly #removals = new FileRemovals();
  readonly #additions = new ObjectEndings();
  readonly #files = new FileAdditions();
  readonly #waiting: Waiting[] = [];

  constructor(plan: TallyPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly StoreTally[] {
    const { id } = call.operation;
    this.#removals.note(call);
    this.#files.note(call);
    if (id === this.#plan.retrieve && call.responseJson !== undefined) this.#observe(call);
    else if (id === this.#plan.list) this.#listed(call);
    else if (this.#plan.add.includes(id) && mayHaveSucceeded(call))
      this.#additions.note(storeOf(call), call.exchange);
    return [];
  }

  finish(): readonly StoreTally[] {
    return this.#waiting.flatMap(({ tally, before, after }) => {
      const store = storeOf(after);
      const isChanged =
        this.#files.anyTwice(store) ||
        this.#removals.thinned(store, elementIds(tally.files), after.exchange) ||
        this.#additions.between([store], before.exchange, after.exchange);
      return isChanged ? [] : [tally];
    });
  }

  /** Records a complete list after a report of counts. */
  #listed(page: Call): void {
    const before = this.#open.get(keyOf(page))?.before;
    if (before === undefined || filterOf(page) !== null || completePage(page) === null) return;
    if (precedes(before.exchange, page.exchange)) this.#open.set(keyOf(page), { before, page });
  }

  /** Completes the tally when the object is reported again. */
  #observe(after: Call): void {
    const { before, page = null } = this.#open.get(keyOf(after)) ?? {};
    const isDone = textAt(after.responseJson, 'status') === 'completed';
    if (isDone) this.#open.set(keyOf(after), { before: after, page: null });
    else this.#open.delete(keyOf(after));
    if (!isDone || before === undefined || page === null) return;
    if (!precedes(page.exchange, after.exchange) || this.#waiting.length >= WAITING) return;
    if (
      !deepEqual(
        valueAtPath(before.responseJson, 'file_counts'),
        valueAtPath(after.responseJson, 'file_counts'),
      )
    )
      return;
    const exchanges = [before.exchange, page.exchange, after.exchange];
    const tally = { store: after.responseJson ?? null, files: completePage(page) ?? [], exchanges };
    this.#waiting.push({ tally, before, after });
  }
}

/** Key of the object in the path: a store, or a batch of a store. */
function keyOf({ path }: Call): string {
  return JSON.stringify(Object.values(path));
}

/** Id of the store in the path. */
function storeOf({ path }: Call): string {
  return path['vector_store_id'] ?? '';
}
