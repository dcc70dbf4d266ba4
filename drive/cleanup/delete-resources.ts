import type { Json } from '../../exchange/http/body.ts';
import type { NotDeleted, Remainder } from '../../exchange/note.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { callResultOf, confirmsDeletion, obstacleOf, valueAt } from '../scenario/call-result.ts';
import type { CallResult } from '../scenario/scenario.ts';
import {
  canBeInPath,
  type DeletionPlan,
  deletionPlanOf,
  findListOperation,
  firstParameterOf,
} from './deletion-plan.ts';
import type { JobWaits } from './job-waits.ts';
import { findPresence, listPages, type PresenceTarget } from './presence.ts';
import type { LedgerEntry, ResourceLedger } from './resource-ledger.ts';
import { hasTag } from './run-tag.ts';

export interface CleanupTarget extends PresenceTarget {
  /** Shared by all scenarios of a run. */
  readonly waits: JobWaits;
}

export interface LeftoverResource {
  /** Number of its ledger entry, from 1. */
  readonly n: number;
  readonly operation: string;
  /** Null if its creation returned no id, and it was not found in a list. */
  readonly id: string | null;
  readonly scenario: string;
  /** Why cleanup did not remove it. */
  readonly remainder: Remainder;
  /** True if no operation can remove it; false if a later cleanup may. */
  readonly final: boolean;
}

type Leftover = Pick<LeftoverResource, 'id' | 'remainder' | 'final'>;

/** The result files of a job are complete only in these states. */
const FINAL_STATES = new Set(['completed', 'succeeded', 'failed', 'cancelled', 'expired']);

const RESULT_FIELDS: readonly (readonly [field: string, operation: string])[] = [
  ['fine_tuned_model', 'deleteModel'],
  ['result_files', 'deleteFile'],
  ['output_file_id', 'deleteFile'],
  ['error_file_id', 'deleteFile'],
];

/**
 * Deletes what the entries created. No operation deletes a job: it is cancelled unless it has ended, and its results
 * (files, fine-tuned models) are deleted. Returns the resources that remain, and records the result of each entry in
 * the ledger. Rejects only if the ledger cannot be written.
 */
export async function deleteResources(
  ledger: ResourceLedger,
  entries: readonly LedgerEntry[],
  target: CleanupTarget,
): Promise<readonly LeftoverResource[]> {
  const remaining: LeftoverResource[] = [];
  for (const entry of entries) {
    const { n, operation, scenario } = entry;
    const leftovers = await removeEntry(entry, ledger, target);
    if (leftovers === null) {
      ledger.record(n, 'nothing');
      continue;
    }
    remaining.push(...leftovers.map((one) => ({ ...one, n, operation, scenario })));
    const removable = leftovers.find(({ final }) => !final);
    const [first] = leftovers;
    if (removable !== undefined) ledger.record(n, 'left', { how: removable.remainder });
    else if (first !== undefined) ledger.record(n, 'stays', { how: first.remainder });
    else ledger.record(n, 'gone', { how: 'deleted' });
  }
  return remaining;
}

/** Null if the complete list shows no object that the entry may have created. */
async function removeEntry(
  entry: LedgerEntry,
  ledger: ResourceLedger,
  target: CleanupTarget,
): Promise<readonly Leftover[] | null> {
  try {
    // Throws for an operation of an extension that is not loaded.
    const plan = deletionPlanOf(operationOf(entry.operation));
    // Another version of an extension may have such an operation, so a later cleanup tries again.
    if (plan === null) throw new Error(`no operation deletes what ${entry.operation} creates`);
    const ids = entry.id === null ? await findByTag(entry, ledger, target) : [entry.id];
    if ('remainder' in ids) return [ids];
    if (ids.length === 0) return null;
    refuseUnusableIds(ids);
    const leftovers = await Promise.all(
      ids.map(async (id): Promise<readonly Leftover[]> => {
        if (plan.how === 'cancelled') return [{ id, ...(await cancelJob(plan, id, target)) }];
        const remainder = await deleteObject(plan.operation, id, target);
        return remainder === null ? [] : [{ id, remainder, final: false }];
      }),
    );
    return leftovers.flat();
  } catch (error) {
    return [{ id: entry.id, remainder: { why: 'failed', message: messageOf(error) }, final: false }];
  }
}

function refuseUnusableIds(ids: readonly string[]): void {
  const id = ids.find((one) => !canBeInPath(one));
  if (id !== undefined)
    throw new Error(`the id ${JSON.stringify(id)} cannot be part of a path, so nothing was deleted`);
}

/**
 * Deletes one object; each deletion is retried once if the response is missing or a 5xx. Returns null if the object is
 * gone: the response confirms it, or the target no longer returns or lists it. A 404 to the deletion proves nothing:
 * the target may lack the operation.
 */
async function deleteObject(deletion: string, id: string, target: CleanupTarget): Promise<NotDeleted | null> {
  const definition = operationOf(deletion);
  const send = async ({ call }: CleanupTarget) => {
    const input = { path: { [firstParameterOf(definition)]: id } };
    const result = callResultOf(await call(deletion, input));
    const mayBeTransient = result.status === null || result.status >= 500;
    return mayBeTransient ? callResultOf(await call(deletion, input)) : result;
  };
  const result = await send(target);
  if (confirmsDeletion(result)) return null;
  // A target may know an assistant only under the header of the version that it was created in.
  const isVersioned = definition.variants.length > 1;
  const call: CleanupTarget['call'] = (name, input) => target.call(name, { ...input, variant: 'v1' });
  const v1Target = { ...target, call };
  if (isVersioned && confirmsDeletion(await send(v1Target))) return null;
  const v1Presence = isVersioned ? await findPresence(definition, id, v1Target) : null;
  const presence = v1Presence?.state === 'present' ? v1Presence : await findPresence(definition, id, target);
  if (presence.state === 'gone') return null;
  const obstacle = obstacleOf(result);
  if (!result.ok && result.status !== 404) return { why: 'not-deleted', obstacle };
  return presence.state === 'present'
    ? { why: 'still-there', obstacle, shownBy: presence.by }
    : { why: 'unconfirmed', obstacle };
}

/** Returns the job as a leftover, because no operation deletes a job. */
async function cancelJob(
  plan: DeletionPlan,
  id: string,
  target: CleanupTarget,
): Promise<Omit<Leftover, 'id'>> {
  const path = { [plan.parameter]: id };
  const retrieve = async (): Promise<CallResult | null> =>
    plan.retrieve === null ? null : callResultOf(await target.call(plan.retrieve, { path }));
  let job = await retrieve();
  if (!FINAL_STATES.has(statusOf(job))) {
    await target.call(plan.operation, { path });
    for await (const _ of target.waits.polls()) {
      job = await retrieve();
      if (job === null || !job.ok || FINAL_STATES.has(statusOf(job))) break;
    }
  }
  const children: { readonly id: string; readonly remainder: NotDeleted }[] = [];
  const results = [...resultObjects(job?.json)];
  refuseUnusableIds(results.map(([, child]) => child));
  for (const [operation, child] of results) {
    const remainder = await deleteObject(operation, child, target);
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

function* resultObjects(job: Json | undefined): Generator<readonly [operation: string, id: string]> {
  for (const [field, operation] of RESULT_FIELDS) {
    const value = valueAt(job, `/${field}`);
    for (const id of Array.isArray(value) ? value : [value]) {
      if (typeof id === 'string' && id !== '') yield [operation, id];
    }
  }
}

async function findByTag(
  entry: LedgerEntry,
  ledger: ResourceLedger,
  target: CleanupTarget,
): Promise<readonly string[] | Leftover> {
  const list = findListOperation(operationOf(entry.operation).path);
  if (list === undefined) return { id: null, remainder: { why: 'lost' }, final: true };
  // All objects of a scenario have the same tag; those with a known id belong to other entries.
  const knownIds = new Set(ledger.entries().map(({ id }) => id));
  for await (const { request, elements } of listPages(list, target)) {
    if (elements === null) return { id: null, remainder: { why: 'not-listed', ...request }, final: false };
    const ids = elements
      .filter((element) => hasTag(element, entry.tag))
      .map((element) => valueAt(element, '/id'))
      .filter((id) => typeof id === 'string')
      .filter((id) => !knownIds.has(id));
    // One call creates one object, so the search ends with the first page that has a match.
    if (ids.length > 0) return ids;
  }
  return [];
}
