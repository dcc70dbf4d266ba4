import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Obstacle, Remainder } from '../../exchange/note.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { operation as operationOf, operations } from '../../schemas/index.ts';
import { callResultOf, obstacleOf, requestOf, valueAt } from '../scenario/call-result.ts';
import type { CallInput, CallResult } from '../scenario/scenario.ts';
import { type DeletionPlan, deletionPlanOf, derivedObjects } from './deletion-plan.ts';
import type { LedgerEntry, ResourceLedger } from './resource-ledger.ts';

/** Sends one call of the cleanup; it never rejects, as an exchange without a response is a result, too. */
export type CleanupCall = (operation: string, input: CallInput) => Promise<Exchange>;

/** A resource that is still on the target after cleanup. */
export interface LeftoverResource {
  /** Number of its entry in the ledger. */
  readonly n: number;
  /** The operation that created it. */
  readonly operation: string;
  /** Null where its creation got no response and no list contains it. */
  readonly id: string | null;
  readonly scenario: string;
  readonly remainder: Remainder;
  /** True when no operation removes it; otherwise a further cleanup may. */
  readonly final: boolean;
}

/** Largest number of list pages that are searched for an object whose id is unknown. */
const PAGES = 50;
/** Largest number of polls for the end of a cancelled job, with exponentially growing pauses from 20 ms on. */
const LOOKS = 8;
/** States of jobs that do not change any more; only then are their result files complete. */
const ended = new Set(['completed', 'succeeded', 'failed', 'cancelled', 'expired']);

/**
 * Removes the resources of ledger entries, newest first: deletes them, or cancels those that cannot be deleted and deletes
 * their results (result files, fine-tuned models). Never rejects; remaining resources are returned and noted in the ledger.
 */
export async function deleteResources(
  ledger: ResourceLedger,
  entries: readonly LedgerEntry[],
  call: CleanupCall,
): Promise<readonly LeftoverResource[]> {
  const left: LeftoverResource[] = [];
  for (const entry of entries) {
    const way = deletionPlanOf(operationOf(entry.operation));
    if (way === null) continue;
    const { n, operation, scenario } = entry;
    const remains = await disposeOf(entry, way, call);
    if (remains === null) {
      ledger.nothing(n);
      continue;
    }
    left.push(...remains.map((one) => ({ ...one, n, operation, scenario })));
    const open = remains.find(({ final }) => !final);
    const [first] = remains;
    if (open !== undefined) ledger.left(n, open.remainder);
    else if (first !== undefined) ledger.stays(n, first.remainder);
    else ledger.gone(n, way.how);
  }
  return left;
}

/** A leftover without the fields that its entry supplies. */
type Remains = Pick<LeftoverResource, 'id' | 'remainder' | 'final'>;

/** The remaining resources of an entry; null where it never created any. */
async function disposeOf(
  entry: LedgerEntry,
  way: DeletionPlan,
  call: CleanupCall,
): Promise<readonly Remains[] | null> {
  try {
    const ids = entry.id === null ? await lost(entry, call) : [entry.id];
    if ('remainder' in ids) return [{ id: null, ...ids }];
    if (ids.length === 0) return null;
    const left = await Promise.all(
      ids.map(async (id) => {
        const remains = await dispose(way, id, call);
        return remains === null ? [] : [{ ...remains, id }];
      }),
    );
    return left.flat();
  } catch (error) {
    return [{ id: entry.id, remainder: { why: 'failed', message: messageOf(error) }, final: false }];
  }
}

type Left = Pick<LeftoverResource, 'remainder' | 'final'>;

/** Deletes or cancels one resource; null when it is gone. */
async function dispose(way: DeletionPlan, id: string, call: CleanupCall): Promise<Left | null> {
  if (way.how === 'cancelled') return end(way, id, call);
  const obstacle = await remove(way, id, call);
  return obstacle === null ? null : { remainder: { why: 'not-deleted', obstacle }, final: false };
}

/** Deletes one object, with one retry after a server error; null when it is gone, otherwise the obstacle. */
async function remove(
  way: Pick<DeletionPlan, 'operation' | 'parameter'>,
  id: string,
  call: CleanupCall,
): Promise<Obstacle | null> {
  let result = callResultOf(await call(way.operation, { path: { [way.parameter]: id } }));
  if (result.status === null || result.status >= 500) {
    result = callResultOf(await call(way.operation, { path: { [way.parameter]: id } }));
  }
  if (result.ok || result.status === 404) return null;
  return obstacleOf(result);
}

/** Cancels a job that is still running, then deletes its results. The job itself cannot be deleted, and is reported. */
async function end(way: DeletionPlan, id: string, call: CleanupCall): Promise<Left> {
  const path = { [way.parameter]: id };
  const look = async (): Promise<CallResult | null> =>
    way.retrieve === null ? null : callResultOf(await call(way.retrieve, { path }));
  let state = await look();
  if (!ended.has(status(state))) {
    await call(way.operation, { path });
    for (let n = 0; n < LOOKS; n++) {
      state = await look();
      if (state === null || !state.ok || ended.has(status(state))) break;
      await pause(20 * 2 ** n);
    }
  }
  const children: { readonly id: string; readonly obstacle: Obstacle }[] = [];
  for (const [operation, child] of descendants(state?.json)) {
    const parameter = /\{(\w+)\}/.exec(operationOf(operation).path)?.[1] ?? 'id';
    const obstacle = await remove({ operation, parameter }, child, call);
    if (obstacle !== null) children.push({ id: child, obstacle });
  }
  const isOver = way.retrieve === null || state?.status === 404 || ended.has(status(state));
  return {
    remainder: { why: 'not-deletable', state: status(state) || null, children },
    final: children.length === 0 && isOver,
  };
}

/** The field `status` of a response; empty without one. */
function status(result: CallResult | null): string {
  const value = valueAt(result?.json, '/status');
  return typeof value === 'string' ? value : '';
}

/** The result objects that a finished job names, with the operations that delete them. */
function* descendants(json: Json | undefined): Generator<readonly [operation: string, id: string]> {
  for (const [field, operation] of derivedObjects) {
    if (!operations().some((known) => known.id === operation)) continue;
    const value = valueAt(json, `/${field}`);
    for (const id of Array.isArray(value) ? value : [value]) {
      if (typeof id === 'string' && id !== '') yield [operation, id];
    }
  }
}

/** Ids of objects whose creation got no response, searched by tag; the remainder where no list contains them. */
async function lost(entry: LedgerEntry, call: CleanupCall): Promise<readonly string[] | Left> {
  const { path } = operationOf(entry.operation);
  const list = operations().find(
    (other) => other.method === 'GET' && other.path === path && other.list !== null,
  );
  if (list === undefined) return { remainder: { why: 'lost' }, final: true };
  const ids: string[] = [];
  const pages = list.parameters.some(({ name }) => name === 'after') ? PAGES : 1;
  let query: CallInput['query'] = {};
  for (let page = 1; page <= pages; page++) {
    const result = callResultOf(await call(list.id, { query }));
    if (!result.ok) return { remainder: { why: 'not-listed', ...requestOf(result.exchange) }, final: false };
    const data = valueAt(result.json, '/data');
    const elements: readonly Json[] = Array.isArray(data) ? data : [];
    ids.push(
      ...elements
        .filter((element) => names(element, entry.tag))
        .map((element) => valueAt(element, '/id'))
        .filter((id) => typeof id === 'string'),
    );
    const last = valueAt(elements.at(-1), '/id');
    // One call creates one object, so the search ends with the first match.
    if (ids.length > 0 || valueAt(result.json, '/has_more') !== true || typeof last !== 'string') break;
    query = { after: last };
  }
  return ids;
}

/** Whether an element contains a tag: `run-1` is in `run-1.jsonl`, but not in `run-12`. */
function names(element: Json, tag: string): boolean {
  const text = JSON.stringify(element);
  for (let from = text.indexOf(tag); from !== -1; from = text.indexOf(tag, from + 1)) {
    if (!/\d/.test(text.charAt(from + tag.length))) return true;
  }
  return false;
}
