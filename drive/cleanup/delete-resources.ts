import type { Json } from '../../exchange/http/body.ts';
import type { NotDeleted, Remainder } from '../../exchange/note.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { operation as operationOf, operations } from '../../schemas/index.ts';
import { callResultOf, confirmsDeletion, obstacleOf, valueAt } from '../scenario/call-result.ts';
import type { CallInput, CallResult } from '../scenario/scenario.ts';
import type { CleanupTarget } from './cleanup-target.ts';
import { type DeletionPlan, deletionPlanOf, derivedObjects } from './deletion-plan.ts';
import { listOf, listPages, presenceOf } from './presence.ts';
import type { LedgerEntry, ResourceLedger } from './resource-ledger.ts';

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

/** States of jobs that do not change any more; only then are their result files complete. */
const ended = new Set(['completed', 'succeeded', 'failed', 'cancelled', 'expired']);

/**
 * Removes the resources of ledger entries, newest first: deletes them, or cancels those that cannot be deleted and deletes
 * their results (result files, fine-tuned models). Never rejects; remaining resources are returned and noted in the ledger.
 */
export async function deleteResources(
  ledger: ResourceLedger,
  entries: readonly LedgerEntry[],
  target: CleanupTarget,
): Promise<readonly LeftoverResource[]> {
  const left: LeftoverResource[] = [];
  for (const entry of entries) {
    const way = deletionPlanOf(operationOf(entry.operation));
    if (way === null) continue;
    const { n, operation, scenario } = entry;
    const remains = await disposeOf(entry, way, target);
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
  target: CleanupTarget,
): Promise<readonly Remains[] | null> {
  try {
    const ids = entry.id === null ? await lost(entry, target) : [entry.id];
    if ('remainder' in ids) return [{ id: null, ...ids }];
    if (ids.length === 0) return null;
    const left = await Promise.all(
      ids.map(async (id) => {
        const remains = await dispose(way, id, target);
        return remains === null ? [] : [{ ...remains, id }];
      }),
    );
    return left.flat();
  } catch (error) {
    return [{ id: entry.id, remainder: { why: 'failed', message: messageOf(error) }, final: false }];
  }
}

type Left = Pick<LeftoverResource, 'remainder' | 'final'>;

async function dispose(way: DeletionPlan, id: string, target: CleanupTarget): Promise<Left | null> {
  if (way.how === 'cancelled') return end(way, id, target);
  const remainder = await remove(way, id, target);
  return remainder === null ? null : { remainder, final: false };
}

/**
 * Deletes one object, with one retry after a server error. Null when it is gone: the answer confirms that, or the target no
 * longer returns or lists the object. A 404 alone does not show that, as the target may not have the operation.
 */
async function remove(
  way: Pick<DeletionPlan, 'operation' | 'parameter'>,
  id: string,
  target: CleanupTarget,
): Promise<NotDeleted | null> {
  const result = await attemptIn(undefined, way, id, target);
  if (confirmsDeletion(result)) return null;
  // A target may know an assistant only under the header of the version that it was created in.
  if (operationOf(way.operation).variants.length > 1) {
    const other = await attemptIn('v1', way, id, target);
    if (confirmsDeletion(other)) return null;
  }
  const presence = await presenceOf(way, id, target);
  if (presence.state === 'gone') return null;
  const obstacle = obstacleOf(result);
  // Every other status is by itself the reason why the object is still there.
  if (!result.ok && result.status !== 404) return { why: 'not-deleted', obstacle };
  return presence.state === 'present'
    ? { why: 'still-there', obstacle, shownBy: presence.by }
    : { why: 'unconfirmed', obstacle };
}

/** Tries to delete one object in a version, once more after a server error. */
async function attemptIn(
  variant: CallInput['variant'],
  way: Pick<DeletionPlan, 'operation' | 'parameter'>,
  id: string,
  target: CleanupTarget,
): Promise<CallResult> {
  const input = { path: { [way.parameter]: id }, ...(variant !== undefined && { variant }) };
  const attempt = async () => callResultOf(await target.call(way.operation, input));
  const result = await attempt();
  return result.status === null || result.status >= 500 ? attempt() : result;
}

/** Cancels a job that is still running, then deletes its results. The job itself cannot be deleted, and is reported. */
async function end(way: DeletionPlan, id: string, target: CleanupTarget): Promise<Left> {
  const { call, waits } = target;
  const path = { [way.parameter]: id };
  const look = async (): Promise<CallResult | null> =>
    way.retrieve === null ? null : callResultOf(await call(way.retrieve, { path }));
  let state = await look();
  if (!ended.has(status(state))) {
    await call(way.operation, { path });
    for await (const _ of waits.looks()) {
      state = await look();
      if (state === null || !state.ok || ended.has(status(state))) break;
    }
  }
  const children: { readonly id: string; readonly remainder: NotDeleted }[] = [];
  for (const [operation, child] of descendants(state?.json)) {
    const parameter = /\{(\w+)\}/.exec(operationOf(operation).path)?.[1] ?? 'id';
    const remainder = await remove({ operation, parameter }, child, target);
    if (remainder !== null) children.push({ id: child, remainder });
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
async function lost(entry: LedgerEntry, target: CleanupTarget): Promise<readonly string[] | Left> {
  const list = listOf(operationOf(entry.operation).path);
  if (list === undefined) return { remainder: { why: 'lost' }, final: true };
  for await (const { request, elements } of listPages(list, target)) {
    if (elements === null) return { remainder: { why: 'not-listed', ...request }, final: false };
    const ids = elements
      .filter((element) => names(element, entry.tag))
      .map((element) => valueAt(element, '/id'))
      .filter((id) => typeof id === 'string');
    // One call creates one object, so the search ends with the first match.
    if (ids.length > 0) return ids;
  }
  return [];
}

/** Whether an element contains a tag: `run-1` is in `run-1.jsonl`, but not in `run-12`. */
function names(element: Json, tag: string): boolean {
  const text = JSON.stringify(element);
  for (let from = text.indexOf(tag); from !== -1; from = text.indexOf(tag, from + 1)) {
    if (!/\d/.test(text.charAt(from + tag.length))) return true;
  }
  return false;
}
