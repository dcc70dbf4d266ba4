import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { type Operation, operations } from '../../schemas/index.ts';

/** How to be rid of what an operation made. */
export interface DeletionPlan {
  /** Deletes it, or cancels it where nothing deletes it. */
  readonly operation: string;
  readonly how: 'deleted' | 'cancelled';
  /** Shows its state; null where deleting is all there is to do. */
  readonly retrieve: string | null;
  /** Name of the path parameter that takes its id. */
  readonly parameter: string;
}

/** Fields in which a finished object names further objects that came of it, and what deletes those. */
export const derivedObjects: readonly (readonly [field: string, operation: string])[] = [
  ['fine_tuned_model', 'deleteModel'],
  ['result_files', 'deleteFile'],
  ['output_file_id', 'deleteFile'],
  ['error_file_id', 'deleteFile'],
];

/**
 * How to be rid of what an operation makes, or null when it makes nothing that stays by itself.
 * What hangs below a parent (messages, runs, files of a store) goes with the parent.
 */
export function deletionPlanOf(operation: Operation): DeletionPlan | null {
  if (operation.method !== 'POST' || operation.path.includes('{')) return null;
  const remove = find('DELETE', operation.path, '') ?? find('DELETE', above(operation.path), '');
  if (remove !== undefined) return disposal(remove, 'deleted', null);
  const cancel = find('POST', operation.path, '/cancel');
  return cancel === undefined
    ? null
    : disposal(cancel, 'cancelled', find('GET', operation.path, '')?.id ?? null);
}

/** Ids of what a call left on the target: its own object, or the thread that a run made on the way. */
export function createdIds(operation: Operation, exchange: Exchange): string | null {
  const status = exchange.response?.status ?? 0;
  const way = deletionPlanOf(operation);
  if (way === null || exchange.response === null || status < 200 || status > 299) return null;
  const isAside = find('DELETE', operation.path, '') === undefined && way.how === 'deleted';
  for (const object of objects(exchange)) {
    const id = isAside ? (object[way.parameter] ?? idOf(object, way.parameter)) : object['id'];
    if (typeof id === 'string' && id !== '') return id;
  }
  return null;
}

/** The id of an object that is itself what a parameter names: a `thread` for `thread_id`. */
function idOf(object: Readonly<Record<string, Json>>, parameter: string): Json | undefined {
  return `${object['object']}_id` === parameter ? object['id'] : undefined;
}

/** The operation at `path/{id}` with this method, and `rest` after it. */
function find(method: Operation['method'], path: string, rest: string): Operation | undefined {
  return operations().find((other) => {
    if (other.method !== method || !other.path.startsWith(`${path}/{`)) return false;
    return /^\/\{\w+\}(.*)$/.exec(other.path.slice(path.length))?.[1] === rest;
  });
}

function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function disposal(operation: Operation, how: DeletionPlan['how'], retrieve: string | null): DeletionPlan {
  const parameter = /\{(\w+)\}/.exec(operation.path)?.[1] ?? 'id';
  return { operation: operation.id, how, retrieve, parameter };
}

function* objects(exchange: Exchange): Generator<Readonly<Record<string, Json>>> {
  const { response } = exchange;
  if (response === null) return;
  const whole = response.body.json?.value;
  if (isObject(whole)) yield whole;
  for (const event of eventsOf(response)?.events ?? []) {
    const data = event.json?.value;
    if (isObject(data)) yield data;
  }
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
