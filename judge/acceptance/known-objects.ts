import type { Json } from '../../exchange/http/body.ts';
import { decodeSegment, encodeSegment, type Operation } from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { type Call, targetPath } from '../trace/call.ts';
import { callerOf } from '../trace/caller-identity.ts';
import { textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import { areSessionsApart, responseDate } from '../trace/sessions.ts';
import { AssistantSettings } from './assistant-settings.ts';
import { AttachedFiles } from './attached-files.ts';
import { ModelContexts } from './model-contexts.ts';
import { ObjectsInUse } from './objects-in-use.ts';
import { objectsShownBy, type ShownObject } from './shown-objects.ts';
import { ThreadActivity } from './thread-activity.ts';

const effects = new WeakMap<Operation, Effect>();
const ASSISTANTS_PREFIX = '/v1/assistants/';
const ASSISTANT_PATH = /^\/v1\/assistants\/[^/]+$/;

type Segments = readonly (Json | undefined)[];

const PARENT_PATHS: ReadonlyMap<Json | undefined, (object: ShownObject) => Segments> = new Map([
  ['thread', (): Segments => ['threads']],
  ['thread.run', ({ thread_id }) => ['threads', thread_id, 'runs']],
  ['thread.run.step', ({ thread_id, run_id }) => ['threads', thread_id, 'runs', run_id, 'steps']],
  ['vector_store.file_batch', fileBatchesPath],
  ['vector_store.files_batch', fileBatchesPath],
]);

export class KnownObjects {
  /** Position, in the order in which exchanges ended, from which an object is known; by caller and path. */
  readonly #shown = new LruMap<number>();
  /** The same by caller and id. */
  readonly #ids = new LruMap<number>();
  /** When a response last showed an object, in milliseconds since 1970; by id. */
  readonly #seenAt = new LruMap<number>();
  readonly #deleted = new LruMap<true>();
  readonly #busy = new LruMap<true>();
  readonly #expired = new LruMap<true>();
  readonly #modified = new LruMap<true>();
  /** Position, in the order in which exchanges ended, of the last outside call to an object; by id. */
  readonly #unknown = new LruMap<number>();
  readonly #threads = new ThreadActivity();
  readonly #inUse = new ObjectsInUse();
  readonly files = new AttachedFiles();
  readonly assistants = new AssistantSettings();
  readonly contexts = new ModelContexts();

  call(call: Call): void {
    const { exchange, operation } = call;
    const affected = affectedObject(call);
    if (affected !== null && operation.method === 'DELETE') this.#deleted.set(affected, true);
    if (affected !== null && effectOf(operation) === 'cancels') this.#busy.set(affected, true);
    this.#threads.call(call);
    this.files.call(call);
    this.contexts.call(call);
    const modified = modifiedObject(call);
    if (modified !== null) this.#modified.set(modified, true);
    if (operation.method === 'DELETE') return;
    const path = targetPath(exchange.request.target);
    if (operation.path.endsWith('}')) {
      if (call.responseJson === undefined) return;
      for (const object of objectsShownBy(call)) this.#recordShown(object, call);
      this.#show(path, decodeSegment(path.slice(path.lastIndexOf('/') + 1)), call);
      return;
    }
    for (const object of objectsShownBy(call)) {
      const { id } = object;
      if (typeof id !== 'string') continue;
      this.#recordShown(object, call);
      const canonicalPath = canonicalPathOf(object);
      if (call.responseJson !== undefined) this.#show(`${path}/${encodeSegment(id)}`, id, call);
      if (canonicalPath !== null) this.#show(canonicalPath, id, call);
      this.#showThread(object, call);
    }
  }

  #recordShown(object: ShownObject, call: Call): void {
    this.#inUse.recordShown(object, call);
    this.assistants.recordShown(object);
    this.files.recordShown(object);
    // The specification does not say whether an expired store can still be changed.
    if (object['status'] === 'expired' && typeof object['id'] === 'string')
      this.#expired.set(object['id'], true);
  }

  markOutsideCall({ target, owners, reach, exchange }: OutsideCall): void {
    this.#unknown.set(target, exchange.ended);
    this.files.markUnknown([target, ...owners]);
    if (reach === 'action') for (const id of owners) this.#busy.set(id, true);
  }

  /**
   * Whether responses had shown every object in the path before the call began, none may have become unusable, and no
   * owner of the last one was modified.
   */
  hasPathOf(call: Call): boolean {
    const { exchange, operation } = call;
    const segments = targetPath(exchange.request.target).split('/');
    const parts = operation.path.split('/');
    const last = parts.findLastIndex((part) => part.startsWith('{'));
    return parts.every((part, i) => {
      if (!part.startsWith('{')) return true;
      const id = decodeSegment(segments[i] ?? '');
      if (i < last && this.#modified.get(id) === true) return false;
      return this.#hasPath(segments.slice(0, i + 1).join('/'), id, call);
    });
  }

  /**
   * Whether a response had shown the object, at any path, to the caller before the call began, and it cannot have
   * become unusable. An assistant must have been shown in the version of the call.
   */
  hasId(id: string, call: Call): boolean {
    const since = this.#ids.get(idKey(call, id)) ?? this.#ids.get(assistantKey(call, id));
    return since !== undefined && since <= call.exchange.after && !this.#mayBeUnusable(id, call);
  }

  /** Like `hasId`, but a response must have shown the object below the path of the requested list. */
  hasElement(id: string, call: Call): boolean {
    return this.#hasPath(`${targetPath(call.exchange.request.target)}/${encodeSegment(id)}`, id, call);
  }

  /** Like `hasId`, but a response must have shown the run in the thread of the call. */
  hasRun(id: string, call: Call): boolean {
    const thread = encodeSegment(call.path['thread_id'] ?? '');
    return this.#hasPath(`/v1/threads/${thread}/runs/${encodeSegment(id)}`, id, call);
  }

  #hasPath(path: string, id: string, call: Call): boolean {
    const since = this.#shown.get(pathKey(call, path));
    return since !== undefined && since <= call.exchange.after && !this.#mayBeUnusable(id, call);
  }

  #showThread({ object, thread_id: thread }: ShownObject, call: Call): void {
    if (object !== 'thread.run' || typeof thread !== 'string') return;
    this.#show(`/v1/threads/${encodeSegment(thread)}`, thread, call);
  }

  #show(path: string, id: string, call: Call): void {
    const { after, ended } = call.exchange;
    const at = responseDate(call.exchange);
    if (at !== null) this.#seenAt.set(id, at);
    const keyOfPath = pathKey(call, path);
    const keyOfId = ASSISTANT_PATH.test(path) ? assistantKey(call, id) : idKey(call, id);
    const unknownSince = this.#unknown.get(id);
    if (unknownSince !== undefined && unknownSince <= after) {
      this.#unknown.delete(id);
      this.#shown.delete(keyOfPath);
      this.#ids.delete(keyOfId);
    }
    if (this.#shown.get(keyOfPath) === undefined) this.#shown.set(keyOfPath, ended);
    if (this.#ids.get(keyOfId) === undefined) this.#ids.set(keyOfId, ended);
  }

  #mayBeUnusable(id: string, call: Call): boolean {
    const { method } = call.operation;
    // Both are read for every call, because reading keeps an object among the remembered ones.
    const [isIdle, isExpired] = [this.#threads.isIdle(id, call), this.#expired.get(id) === true];
    const isBusy = this.#busy.get(id) === true || !isIdle;
    return (
      this.#deleted.get(id) === true ||
      areSessionsApart(this.#seenAt.get(id) ?? null, responseDate(call.exchange)) ||
      (method === 'DELETE' && !this.#inUse.isIdle(id, call)) ||
      this.#unknown.get(id) !== undefined ||
      (method !== 'GET' && isBusy) ||
      (method === 'POST' && isExpired)
    );
  }
}

/** The object that a call may have deleted, filled or made busy: its target, the owner of a file, or a run's thread. */
export function affectedObject(call: Call): string | null {
  switch (effectOf(call.operation)) {
    case 'deletes':
    case 'cancels':
      return Object.values(call.path).at(-1) ?? null;
    case 'attaches':
      return Object.values(call.path)[0] ?? null;
    case 'runs':
      return Object.values(call.path)[0] ?? textAt(call.sentJson, 'thread_id') ?? null;
    default:
      return null;
  }
}

export function modifiedObject({ operation, path }: Call): string | null {
  return effectOf(operation) === 'modifies' ? (Object.values(path).at(-1) ?? null) : null;
}

type Effect = 'deletes' | 'cancels' | 'attaches' | 'runs' | 'modifies' | null;

function effectOf(operation: Operation): Effect {
  return getOrMake(effects, operation, () => findEffect(operation));
}

function findEffect({ method, path }: Operation): Effect {
  if (method === 'DELETE') return 'deletes';
  if (path.endsWith('/cancel')) return 'cancels';
  if (method !== 'POST') return null;
  if (path.endsWith('/runs')) return 'runs';
  if (/\}\/(files|file_batches)$/.test(path)) return 'attaches';
  return path.endsWith('}') ? 'modifies' : null;
}

function idKey({ exchange }: Call, object: string): string {
  return `${callerOf(exchange.request)} ${object}`;
}

function pathKey(call: Call, path: string): string {
  return idKey(call, path.startsWith(ASSISTANTS_PREFIX) ? `${call.variant?.beta} ${path}` : path);
}

function assistantKey(call: Call, id: string): string {
  return idKey(call, `${call.variant?.beta} ${id}`);
}

function canonicalPathOf(object: ShownObject): string | null {
  const parent = PARENT_PATHS.get(object['object'])?.(object);
  if (parent === undefined) return null;
  const parts = [...parent, object['id']];
  if (!parts.every((part) => typeof part === 'string' && part !== '')) return null;
  return `/v1/${parts.map((part) => encodeSegment(String(part))).join('/')}`;
}

function fileBatchesPath({ vector_store_id }: ShownObject): Segments {
  return ['vector_stores', vector_store_id, 'files_batches'];
}
