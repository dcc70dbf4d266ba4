import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { NotDeleted, Remainder } from '../../exchange/note.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { type Operation, operation as operationOf, operations } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { isUnknownPath } from '../preflight/preflight-client.ts';
import { callResultOf, confirmsDeletion, obstacleOf, requestOf, valueAt } from '../scenario/call-result.ts';
import type { CallInput, CallResult } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import { type DeletionPlan, deletionPlanOf, derivedObjects } from './deletion-plan.ts';
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

/** Whether an object is on the target: shown by a request that returns it, shown to be gone, or neither. */
export type Presence =
  | { readonly state: 'present'; readonly by: { readonly method: string; readonly path: string } }
  | { readonly state: 'gone' | 'unknown' };

/** Largest number of list pages that are searched for one object. */
const PAGES = 50;

/**
 * Looks for the object that `deletion` should have removed: by its retrieve operation, then in the list of its kind. A 404
 * that any unknown path gets shows nothing, as the target may have no such operation.
 */
export async function presenceOf(
  deletion: { readonly operation: string; readonly parameter: string },
  id: string,
  target: CleanupTarget,
): Promise<Presence> {
  const { path } = operationOf(deletion.operation);
  const retrieve = operations().find((other) => other.method === 'GET' && other.path === path);
  if (retrieve !== undefined) {
    const { exchange, ...answer } = callResultOf(
      await target.call(retrieve.id, { path: { [deletion.parameter]: id } }),
    );
    // A web application may answer each path with the same page.
    if (answer.ok)
      return isJsonObject(answer.json) ? { state: 'present', by: requestOf(exchange) } : { state: 'unknown' };
    const isMissing = answer.status === 404 || answer.status === 410;
    if (isMissing && !(await isUnknown(exchange, target))) return { state: 'gone' };
  }
  const list = listOf(path.slice(0, path.lastIndexOf('/')));
  return list === undefined ? { state: 'unknown' } : searchList(list, id, target);
}

/** Whether an answer is the one of any unknown path; true as well where the target does not answer that comparison. */
async function isUnknown(
  exchange: Parameters<typeof isUnknownPath>[0],
  target: CleanupTarget,
): Promise<boolean> {
  const unknown = await target.unknownPath();
  return unknown.response === null || isUnknownPath(exchange, unknown);
}

async function searchList(list: Operation, id: string, target: CleanupTarget): Promise<Presence> {
  for await (const page of listPages(list, target)) {
    if (page.elements === null) return { state: 'unknown' };
    const isListed = page.elements.some((element) => valueAt(element, '/id') === id);
    if (isListed) return { state: 'present', by: page.request };
  }
  return { state: 'gone' };
}

/** The operation that lists what is created at a path; undefined for none. */
export function listOf(path: string): Operation | undefined {
  return operations().find((other) => other.method === 'GET' && other.path === path && other.list !== null);
}

/** A page of a list; `elements` is null where the answer is not a list, or the rest of the list cannot be read. */
export interface SearchedPage {
  readonly request: { readonly method: string; readonly path: string };
  readonly elements: readonly Json[] | null;
}

/**
 * The pages of a list, at most 50. Ends without a page whose `elements` are null only where it is sure that the list has no
 * more: then an object that is on no page is not on the target.
 */
export async function* listPages(list: Operation, { call }: CleanupTarget): AsyncGenerator<SearchedPage> {
  const most = list.parameters.some(({ name }) => name === 'after') ? PAGES : 1;
  let query: CallInput['query'] = {};
  for (let page = 1; ; page++) {
    const result = callResultOf(await call(list.id, { query }));
    const request = requestOf(result.exchange);
    const data = result.ok ? valueAt(result.json, '/data') : undefined;
    if (!Array.isArray(data)) return yield { request, elements: null };
    const elements: readonly Json[] = data;
    yield { request, elements };
    const more = valueAt(result.json, '/has_more');
    if (more === false || (isUnpaged(list) && isWhole(result.json, elements.length))) return;
    const last = valueAt(elements.at(-1), '/id');
    // The rest cannot be read, so that the list does not show what is missing.
    if (more !== true || page >= most || typeof last !== 'string') return yield { request, elements: null };
    query = { after: last };
  }
}

/** Whether the specification gives a list no pages: files and models. */
export function isUnpaged({ list, parameters }: Operation): boolean {
  return list !== null && list.cursors.length === 0 && !parameters.some(({ name }) => name === 'limit');
}

/**
 * Whether an answer to an unpaged list looks like all of it. The target may page it nevertheless: then the answer has further
 * fields (a cursor, a total), or as many elements as a page of another list.
 */
function isWhole(answer: Json | undefined, length: number): boolean {
  const hasOnlyElements =
    isJsonObject(answer) && Object.keys(answer).every((field) => field === 'object' || field === 'data');
  const isPageSize = operations().some(
    ({ list }) => list?.defaultLimit === length || list?.maxLimit === length,
  );
  return hasOnlyElements && !isPageSize;
}

/** Largest number of looks at a cancelled job, with exponentially growing pauses from 20 ms on: 2.5 s together. */
const LOOKS = 8;

/**
 * The waits of a run, or of a cleanup, for the ends of jobs that it has cancelled. Where one did not end, the next are looked
 * at once: a target that leaves jobs running would otherwise be waited for again with each of them.
 */
export class JobWaits {
  readonly #rest: (ms: number) => Promise<unknown>;
  #looks = LOOKS;

  constructor(rest: (ms: number) => Promise<unknown> = pause) {
    this.#rest = rest;
  }

  /** Yields before each look; whoever sees the end leaves the loop. */
  async *looks(): AsyncGenerator<void> {
    for (let n = 0; n < this.#looks; n++) {
      if (n > 0) await this.#rest(20 * 2 ** (n - 1));
      yield;
    }
    this.#looks = 1;
  }
}

/** The requests of a cleanup. Neither rejects while the run has a target: an exchange without a response is a result, too. */
export interface CleanupTarget {
  /** Sends one operation. */
  readonly call: (operation: string, input: CallInput) => Promise<Exchange>;
  /** Shared by all cleanups of a target. */
  readonly waits: JobWaits;
  /** The answer to GET of a path that no service has. */
  readonly unknownPath: () => Promise<Pick<IncomingResponse, 'response'>>;
}
