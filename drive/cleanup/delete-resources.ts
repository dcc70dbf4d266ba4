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
import { type DeletionPlan, deletionPlanOf, findListOperation } from './deletion-plan.ts';
import type { LedgerEntry, ResourceLedger } from './resource-ledger.ts';

/** The requests of a cleanup. They reject only once the run has lost its target; a missing response is not an error. */
export interface CleanupTarget {
  /** Sends one request of the operation with this id: `deleteFile`. */
  readonly call: (operation: string, input: CallInput) => Promise<Exchange>;
  /** Shared by all cleanups of a target. */
  readonly waits: JobWaits;
  /** The response to a GET of a path that no service has. */
  readonly fetchUnknownPath: () => Promise<Pick<IncomingResponse, 'response'>>;
}

export interface LeftoverResource {
  /** Number of its ledger entry, from 1. */
  readonly n: number;
  /** Id of the operation that created it: `createFile`. */
  readonly operation: string;
  /** Null if its creation returned no id, and it was not found in a list. */
  readonly id: string | null;
  /** Name of the scenario that created it. */
  readonly scenario: string;
  /** Why cleanup did not remove it. */
  readonly remainder: Remainder;
  /** True if no operation can remove it; false if a later cleanup may. */
  readonly final: boolean;
}

type Leftover = Pick<LeftoverResource, 'id' | 'remainder' | 'final'>;

/** Final states of jobs; the result files of a job are complete only in these. */
const FINAL_STATES = new Set(['completed', 'succeeded', 'failed', 'cancelled', 'expired']);
const MAX_LIST_PAGES = 50;

/**
 * Removes the resources of ledger entries, one by one: deletes them, or cancels those that cannot be deleted and
 * deletes their results (result files, fine-tuned models). Remaining resources are returned and noted in the ledger.
 * Rejects only if the ledger cannot be written, or names an unknown operation.
 */
export async function deleteResources(
  ledger: ResourceLedger,
  entries: readonly LedgerEntry[],
  target: CleanupTarget,
): Promise<readonly LeftoverResource[]> {
  const remaining: LeftoverResource[] = [];
  for (const entry of entries) {
    const plan = deletionPlanOf(operationOf(entry.operation));
    if (plan === null) continue;
    const { n, operation, scenario } = entry;
    const leftovers = await removeEntry(entry, plan, target);
    if (leftovers === null) {
      ledger.record(n, 'nothing');
      continue;
    }
    remaining.push(...leftovers.map((one) => ({ ...one, n, operation, scenario })));
    const removable = leftovers.find(({ final }) => !final);
    const [first] = leftovers;
    if (removable !== undefined) ledger.record(n, 'left', { how: removable.remainder });
    else if (first !== undefined) ledger.record(n, 'stays', { how: first.remainder });
    else ledger.record(n, 'gone', { how: plan.how });
  }
  return remaining;
}

/** Removes the resources of an entry and returns those that remain; null if it never created any. */
async function removeEntry(
  entry: LedgerEntry,
  plan: DeletionPlan,
  target: CleanupTarget,
): Promise<readonly Leftover[] | null> {
  try {
    const ids = entry.id === null ? await findByTag(entry, target) : [entry.id];
    if ('remainder' in ids) return [ids];
    if (ids.length === 0) return null;
    refuseDotSegments(ids);
    const leftovers = await Promise.all(
      ids.map(async (id): Promise<readonly Leftover[]> => {
        if (plan.how === 'cancelled') return [{ id, ...(await cancelJob(plan, id, target)) }];
        const remainder = await deleteObject(plan, id, target);
        return remainder === null ? [] : [{ id, remainder, final: false }];
      }),
    );
    return leftovers.flat();
  } catch (error) {
    return [{ id: entry.id, remainder: { why: 'failed', message: messageOf(error) }, final: false }];
  }
}

/** Throws for an id with a segment `.` or `..`: a gateway may resolve it, and the deletion would reach another path. */
function refuseDotSegments(ids: readonly string[]): void {
  const id = ids.find((one) => /(?:^|[\\/])\.{1,2}(?:[\\/]|$)/.test(one));
  if (id !== undefined)
    throw new Error(`its id ${JSON.stringify(id)} leads to another path, so nothing was deleted`);
}

/**
 * Deletes one object, with one retry if the response is missing or a 5xx. Returns null once the object is gone: the
 * response confirms it, or the target no longer returns or lists it. A 404 alone proves nothing: the target may lack
 * the operation.
 */
async function deleteObject(
  plan: Pick<DeletionPlan, 'operation' | 'parameter'>,
  id: string,
  target: CleanupTarget,
): Promise<NotDeleted | null> {
  const send = async (variant?: 'v1') => {
    const input = { path: { [plan.parameter]: id }, ...(variant !== undefined && { variant }) };
    const result = callResultOf(await target.call(plan.operation, input));
    const mayBeTransient = result.status === null || result.status >= 500;
    return mayBeTransient ? callResultOf(await target.call(plan.operation, input)) : result;
  };
  const result = await send();
  if (confirmsDeletion(result)) return null;
  // A target may know an assistant only under the header of the version that it was created in.
  const isVersioned = operationOf(plan.operation).variants.length > 1;
  if (isVersioned && confirmsDeletion(await send('v1'))) return null;
  const presence = await findPresence(plan, id, target);
  if (presence.state === 'gone') return null;
  const obstacle = obstacleOf(result);
  // Any other status is itself the reason why the object is still there.
  if (!result.ok && result.status !== 404) return { why: 'not-deleted', obstacle };
  return presence.state === 'present'
    ? { why: 'still-there', obstacle, shownBy: presence.by }
    : { why: 'unconfirmed', obstacle };
}

/** Cancels a job that is still running, then deletes its results. Returns the job as a leftover: nothing deletes it. */
async function cancelJob(
  plan: DeletionPlan,
  id: string,
  { call, waits, fetchUnknownPath }: CleanupTarget,
): Promise<Omit<Leftover, 'id'>> {
  const path = { [plan.parameter]: id };
  const retrieve = async (): Promise<CallResult | null> =>
    plan.retrieve === null ? null : callResultOf(await call(plan.retrieve, { path }));
  let job = await retrieve();
  if (!FINAL_STATES.has(statusOf(job))) {
    await call(plan.operation, { path });
    for await (const _ of waits.polls()) {
      job = await retrieve();
      if (job === null || !job.ok || FINAL_STATES.has(statusOf(job))) break;
    }
  }
  const children: { readonly id: string; readonly remainder: NotDeleted }[] = [];
  const results = [...resultObjects(job?.json)];
  refuseDotSegments(results.map(([, child]) => child));
  for (const [operation, child] of results) {
    const parameter = /\{(\w+)\}/.exec(operationOf(operation).path)?.[1] ?? 'id';
    const remainder = await deleteObject({ operation, parameter }, child, { call, waits, fetchUnknownPath });
    if (remainder !== null) children.push({ id: child, remainder });
  }
  const state = statusOf(job);
  const isOver = plan.retrieve === null || job?.status === 404 || FINAL_STATES.has(state);
  return {
    remainder: { why: 'not-deletable', state: state || null, children },
    final: children.length === 0 && isOver,
  };
}

function statusOf(result: CallResult | null): string {
  const value = valueAt(result?.json, '/status');
  return typeof value === 'string' ? value : '';
}

/** Fields in which a finished job names its results, and the operations that delete them. */
const RESULT_FIELDS: readonly (readonly [field: string, operation: string])[] = [
  ['fine_tuned_model', 'deleteModel'],
  ['result_files', 'deleteFile'],
  ['output_file_id', 'deleteFile'],
  ['error_file_id', 'deleteFile'],
];

/** The objects that a finished job created, each with the operation that deletes it. */
function* resultObjects(job: Json | undefined): Generator<readonly [operation: string, id: string]> {
  for (const [field, operation] of RESULT_FIELDS) {
    if (!operations().some((known) => known.id === operation)) continue;
    const value = valueAt(job, `/${field}`);
    for (const id of Array.isArray(value) ? value : [value]) {
      if (typeof id === 'string' && id !== '') yield [operation, id];
    }
  }
}

/** Finds the objects of an entry without id by its tag; returns a leftover if no list can be searched. */
async function findByTag(entry: LedgerEntry, target: CleanupTarget): Promise<readonly string[] | Leftover> {
  const list = findListOperation(operationOf(entry.operation).path);
  if (list === undefined) return { id: null, remainder: { why: 'lost' }, final: true };
  for await (const { request, elements } of listPages(list, target)) {
    if (elements === null) return { id: null, remainder: { why: 'not-listed', ...request }, final: false };
    const ids = elements
      .filter((element) => hasTag(element, entry.tag))
      .map((element) => valueAt(element, '/id'))
      .filter((id) => typeof id === 'string');
    // One call creates one object, so the search ends with the first match.
    if (ids.length > 0) return ids;
  }
  return [];
}

/** Whether an element contains a whole tag: `run-1` is in `run-1.jsonl`, but not in `run-12` or `my-run-1`. */
export function hasTag(element: Json, tag: string): boolean {
  if (tag === '') return false;
  const text = JSON.stringify(element);
  for (let from = text.indexOf(tag); from !== -1; from = text.indexOf(tag, from + 1)) {
    const neighbours = [text.charAt(from - 1), text.charAt(from + tag.length)];
    if (!neighbours.some((character) => /[\w-]/.test(character))) return true;
  }
  return false;
}

/** Whether an object is still on the target; `by` is the request that shows it. */
export type Presence =
  | { readonly state: 'present'; readonly by: { readonly method: string; readonly path: string } }
  | { readonly state: 'gone' | 'unknown' };

/**
 * Looks for the object that `deletion` should have removed: with its retrieve operation, then in the list of its kind.
 * A 404 proves nothing if any unknown path gets one, because the target may lack the operation.
 */
async function findPresence(
  deletion: { readonly operation: string; readonly parameter: string },
  id: string,
  target: CleanupTarget,
): Promise<Presence> {
  const { path } = operationOf(deletion.operation);
  const retrieve = operations().find((other) => other.method === 'GET' && other.path === path);
  if (retrieve !== undefined) {
    const input = { path: { [deletion.parameter]: id } };
    const { exchange, ...result } = callResultOf(await target.call(retrieve.id, input));
    // A web application may answer every path with the same page.
    if (result.ok)
      return isJsonObject(result.json) ? { state: 'present', by: requestOf(exchange) } : { state: 'unknown' };
    if (result.status === 404 || result.status === 410) {
      const unknown = await target.fetchUnknownPath();
      if (unknown.response !== null && !isUnknownPath(exchange, unknown)) return { state: 'gone' };
    }
  }
  const list = findListOperation(path.slice(0, path.lastIndexOf('/')));
  if (list === undefined) return { state: 'unknown' };
  for await (const { request, elements } of listPages(list, target)) {
    if (elements === null) return { state: 'unknown' };
    if (elements.some((element) => valueAt(element, '/id') === id)) return { state: 'present', by: request };
  }
  return { state: 'gone' };
}

/** A page of a list; `elements` is null if the response is not a list, or the rest of the list cannot be read. */
interface ListPage {
  readonly request: { readonly method: string; readonly path: string };
  readonly elements: readonly Json[] | null;
}

/** Yields the pages of a list. If none has null `elements`, the list is complete: an object that it lacks is gone. */
async function* listPages(list: Operation, { call }: CleanupTarget): AsyncGenerator<ListPage> {
  const maxPages = list.parameters.some(({ name }) => name === 'after') ? MAX_LIST_PAGES : 1;
  let query: CallInput['query'] = {};
  for (let page = 1; ; page++) {
    const result = callResultOf(await call(list.id, { query }));
    const request = requestOf(result.exchange);
    const data = result.ok ? valueAt(result.json, '/data') : undefined;
    if (!Array.isArray(data)) return yield { request, elements: null };
    const elements: readonly Json[] = data;
    yield { request, elements };
    const hasMore = valueAt(result.json, '/has_more');
    if (hasMore === false || (isUnpaged(list) && looksComplete(result.json, elements.length))) return;
    const lastId = valueAt(elements.at(-1), '/id');
    if (hasMore !== true || page >= maxPages || typeof lastId !== 'string')
      return yield { request, elements: null };
    query = { after: lastId };
  }
}

/** Whether the specification defines no pagination for a list, as for files and models. */
export function isUnpaged({ list, parameters }: Operation): boolean {
  return list !== null && list.cursors.length === 0 && !parameters.some(({ name }) => name === 'limit');
}

/** Whether a page is a whole unpaged list. A target that paginates adds fields or returns exactly a usual page size. */
function looksComplete(body: Json | undefined, length: number): boolean {
  const hasOnlyElements =
    isJsonObject(body) && Object.keys(body).every((field) => field === 'object' || field === 'data');
  const isPageLength = operations().some(
    ({ list }) => list?.defaultLimit === length || list?.maxLimit === length,
  );
  return hasOnlyElements && !isPageLength;
}

/** Maximum number of polls of a cancelled job. The pauses grow exponentially from 20 ms, to 2.5 s in total. */
const MAX_JOB_POLLS = 8;

/**
 * Paces the polling of cancelled jobs until they end. Once one has not ended in time, later jobs are polled only once,
 * because a target that leaves jobs running would otherwise cost the full wait for each.
 */
export class JobWaits {
  readonly #sleep: (ms: number) => Promise<unknown>;
  #maxPolls = MAX_JOB_POLLS;

  constructor(sleep: (ms: number) => Promise<unknown> = pause) {
    this.#sleep = sleep;
  }

  /** Yields before each poll; the caller leaves the loop when the job has ended. */
  async *polls(): AsyncGenerator<void> {
    for (let n = 0; n < this.#maxPolls; n++) {
      if (n > 0) await this.#sleep(20 * 2 ** (n - 1));
      yield;
    }
    this.#maxPolls = 1;
  }
}
