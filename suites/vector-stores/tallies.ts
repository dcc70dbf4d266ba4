import { Deferred, follow, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { deepEqual, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { ADDING_OPERATIONS, FileAdditions, FileRemovals, REMOVING_OPERATIONS } from './file-history.ts';
import { completePage, elementIds, filterOf, storeOf } from './pages.ts';

export interface StoreTally extends Evidence {
  readonly store: Json;
  readonly listed: readonly Json[];
  readonly counts: readonly {
    readonly at: string;
    readonly value: Json | undefined;
    readonly expected: number;
  }[];
}

interface TallyPlan {
  readonly retrieve: string;
  readonly list: string;
  readonly add: readonly string[];
}

const MAX_DEFERRED = 200;
const FILE_STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'];

/** Selects complete lists between two equal counts, if no file was added in between, added twice or removed before. */
export function storeTallies(plan: TallyPlan): Selector<StoreTally> {
  return follow(
    [plan.retrieve, plan.list, ...ADDING_OPERATIONS, ...REMOVING_OPERATIONS],
    () => new TallyCollector(plan),
    `a whole list of ${plan.list} between two equal counts of ${plan.retrieve}`,
  );
}

class TallyCollector implements Collector<StoreTally> {
  readonly #plan: TallyPlan;
  readonly #lastCounts = new LruMap<{ readonly before: Call; readonly page: Call | null }>();
  readonly #removals = new FileRemovals();
  readonly #additions = new Timeline();
  readonly #fileAdditions = new FileAdditions();
  readonly #deferred = new Deferred<StoreTally>(MAX_DEFERRED);

  constructor(plan: TallyPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly StoreTally[] {
    const { id } = call.operation;
    this.#removals.note(call);
    this.#fileAdditions.note(call);
    if (id === this.#plan.retrieve && call.responseJson !== undefined) this.#noteCounts(call);
    else if (id === this.#plan.list) this.#notePage(call);
    else if (this.#plan.add.includes(id) && mayHaveSucceeded(call))
      this.#additions.note(storeOf(call), call.exchange);
    return [];
  }

  finish(): readonly StoreTally[] {
    return this.#deferred.finish();
  }

  #notePage(page: Call): void {
    const key = pathKey(page);
    const before = this.#lastCounts.get(key)?.before;
    if (before === undefined || filterOf(page) !== null || completePage(page) === null) return;
    if (precedes(before.exchange, page.exchange)) this.#lastCounts.set(key, { before, page });
  }

  #noteCounts(after: Call): void {
    const key = pathKey(after);
    const { before, page = null } = this.#lastCounts.get(key) ?? {};
    const isCompleted = textAt(after.responseJson, 'status') === 'completed';
    if (isCompleted) this.#lastCounts.set(key, { before: after, page: null });
    else this.#lastCounts.delete(key);
    if (!isCompleted || before === undefined || page === null || !precedes(page.exchange, after.exchange))
      return;
    const countsIn = (call: Call) => valueAtPath(call.responseJson, 'file_counts');
    if (!deepEqual(countsIn(before), countsIn(after))) return;
    const files = completePage(page) ?? [];
    const exchanges = [before.exchange, page.exchange, after.exchange];
    const store = after.responseJson ?? null;
    this.#deferred.add(() =>
      this.#isChanged(before, after, files)
        ? null
        : { store, listed: files, counts: countsOf(store, files), exchanges },
    );
  }

  #isChanged(before: Call, after: Call, files: readonly Json[]): boolean {
    const store = storeOf(after);
    // The list may lack a deleted file that is still counted.
    const knownFiles = [...elementIds(files), ...this.#fileAdditions.filesIn(store)];
    return (
      this.#fileAdditions.hasFileAddedTwice(store) ||
      this.#removals.mayHaveLostAny(store, knownFiles, after.exchange) ||
      this.#additions.isChanged([store], before.exchange, after.exchange)
    );
  }
}

function pathKey({ path }: Call): string {
  return JSON.stringify(Object.values(path));
}

/** The counts that a store or batch shows, each with the number of listed files that it should equal. */
function countsOf(store: Json, files: readonly Json[]): StoreTally['counts'] {
  return ['total', ...FILE_STATUSES].map((name) => ({
    at: `/file_counts/${name}`,
    value: valueAtPath(store, 'file_counts', name),
    expected: files.filter((file) => name === 'total' || textAt(file, 'status') === name).length,
  }));
}
