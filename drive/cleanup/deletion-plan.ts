import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { type Operation, operations, pathParameters } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';

export interface DeletionPlan {
  readonly operation: string;
  readonly how: 'deleted' | 'cancelled';
  /** Id of the operation that returns the state of a job; null if there is none, and for what can be deleted. */
  readonly retrieve: string | null;
  readonly parameter: string;
}

export function deletionPlanOf(operation: Operation): DeletionPlan | null {
  if (operation.method !== 'POST' || operation.path.includes('{')) return null;
  const slash = operation.path.lastIndexOf('/');
  const [parent, child] = [operation.path.slice(0, slash), operation.path.slice(slash)];
  // `/threads/runs` creates a thread together with a run; `/threads/{thread_id}/runs` creates only the run.
  const mayCreateParent = findBelow('POST', parent, child) !== undefined;
  const parentDeletion = mayCreateParent ? findBelow('DELETE', parent, '') : undefined;
  const remove = findBelow('DELETE', operation.path, '') ?? parentDeletion;
  if (remove !== undefined) return makePlan(remove, 'deleted', null);
  const cancel = findBelow('POST', operation.path, '/cancel');
  return cancel === undefined
    ? null
    : makePlan(cancel, 'cancelled', findBelow('GET', operation.path, '')?.id ?? null);
}

/** A gateway or curl may resolve a segment `.` or `..`, and reach another path. A lone surrogate cannot be encoded. */
export function canBeInPath(id: string): boolean {
  return !/(?:^|[\\/])\.{1,2}(?:[\\/]|$)|\p{Cs}/u.test(id);
}

export function findListOperation(path: string): Operation | undefined {
  return operations().find((other) => other.method === 'GET' && other.path === path && other.list !== null);
}

/** Whether a call whose response was lost needs no cleanup, or creates an object that cleanup finds in a list. */
export function leavesNothingBehind(operation: Operation, isTagged: boolean): boolean {
  const plan = deletionPlanOf(operation);
  if (plan === null) return true;
  return isTagged && plan.how === 'deleted' && findListOperation(operation.path) !== undefined;
}

export function createdId(operation: Operation, { response }: Exchange): string | null {
  const plan = deletionPlanOf(operation);
  if (plan === null || response === null || response.status < 200 || response.status > 299) return null;
  const createsParent = findBelow('DELETE', operation.path, '') === undefined && plan.how === 'deleted';
  for (const object of objectsIn(response)) {
    const id = createsParent
      ? (object[plan.parameter] ?? idOfNamedType(object, plan.parameter))
      : object['id'];
    if (typeof id === 'string' && id !== '') return id;
  }
  return null;
}

/** Returns the id if the parameter names the type of the object: `thread_id` names a `thread`. */
function idOfNamedType(object: Readonly<Record<string, Json>>, parameter: string): Json | undefined {
  return `${object['object']}_id` === parameter ? object['id'] : undefined;
}

function findBelow(method: Operation['method'], path: string, rest: string): Operation | undefined {
  return operations().find((other) => {
    if (other.method !== method || !other.path.startsWith(`${path}/{`)) return false;
    return /^\/\{[^{}]+\}(.*)$/.exec(other.path.slice(path.length))?.[1] === rest;
  });
}

function makePlan(operation: Operation, how: DeletionPlan['how'], retrieve: string | null): DeletionPlan {
  return { operation: operation.id, how, retrieve, parameter: firstParameterOf(operation) };
}

export function firstParameterOf(operation: Operation): string {
  return pathParameters(operation)[0] ?? 'id';
}

function* objectsIn(response: HttpResponse): Generator<Readonly<Record<string, Json>>> {
  const body = jsonContent(response);
  if (isJsonObject(body)) yield body;
  for (const event of eventsOf(response)?.events ?? []) {
    const data = event.json?.value;
    if (isJsonObject(data)) yield data;
  }
}
