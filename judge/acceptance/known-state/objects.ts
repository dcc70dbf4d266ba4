import type { Operation } from '../../../schemas/index.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import type { Call } from '../../trace/call.ts';
import { callerOf } from '../../trace/caller.ts';
import type { OutsideCall } from '../../trace/outside-call.ts';
import { AssistantTools } from './assistant-tools.ts';
import { AttachedFiles } from './attached-files.ts';
import { ModelContexts } from './model-contexts.ts';
import { ObjectsInUse } from './objects-in-use.ts';
import { ownPath, type ShownObject, shownObjects } from './shown-objects.ts';
import { ThreadActivity, threadIn } from './thread-activity.ts';

/**
 * Which objects a target is known to have, by their paths (`/v1/threads/t/messages/m`). Only what an answer has shown is
 * known; what a call may have deleted, or may have made busy, is not known any more.
 */
export class KnownObjects {
  /** Ordinal of the exchange that showed the object, by its path and by whom it was shown to: another key may not see it. */
  readonly #shown = new LruMap<number>();
  /** The same by the last id of the path: fields of a body name objects without their path. */
  readonly #ids = new LruMap<number>();
  /** Ids of objects that a call may have deleted. */
  readonly #deleted = new LruMap<true>();
  /** Ids of objects that a call may have made busy: they can still be read. */
  readonly #busy = new LruMap<true>();
  /** Ids of stores that have expired: they can be read and deleted. */
  readonly #expired = new LruMap<true>();
  /** Ids of objects that were modified: what belongs to them may be another than before. */
  readonly #modified = new LruMap<true>();
  /** Ordinal of the last call outside the specification, by id of its target; until an answer shows the object again. */
  readonly #unknown = new LruMap<number>();
  readonly #threads = new ThreadActivity();
  readonly #inUse = new ObjectsInUse();
  /** Uploads, and where they were put. */
  readonly files = new AttachedFiles();
  readonly tools = new AssistantTools();
  readonly contexts = new ModelContexts();

  /** Takes note of what a call shows, and of what it may have changed. */
  call(call: Call): void {
    const { exchange, operation } = call;
    const disturbed = disturbedBy(call);
    if (disturbed !== null && operation.method === 'DELETE') this.#deleted.set(disturbed, true);
    if (disturbed !== null && effectOf(operation) === 'cancels') this.#busy.set(disturbed, true);
    this.#threads.call(call);
    this.files.call(call);
    this.contexts.call(call);
    const modified = modifiedBy(call);
    if (modified !== null) this.#modified.set(modified, true);
    if (operation.method === 'DELETE') return;
    const path = pathOf(exchange.request.target);
    if (operation.path.endsWith('}')) {
      if (call.responseJson === undefined) return;
      for (const object of shownObjects(call)) this.#describe(object, call);
      this.#show(path, decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)), call);
      return;
    }
    for (const object of shownObjects(call)) {
      const { id } = object;
      if (typeof id !== 'string') continue;
      this.#describe(object, call);
      const own = ownPath(object);
      // The events of a run are about objects of several kinds, none of which is read below the path of the request.
      if (call.responseJson !== undefined) this.#show(`${path}/${encodeURIComponent(id)}`, id, call);
      if (own !== null) this.#show(own, id, call);
      this.#showThread(object, call);
    }
  }

  /** Takes note of what an object says of itself. */
  #describe(object: ShownObject, call: Call): void {
    this.#inUse.show(object, call);
    this.tools.show(object);
    this.files.show(object);
    // Whether a store that has expired can still be changed is not stated.
    if (object['status'] === 'expired' && typeof object['id'] === 'string')
      this.#expired.set(object['id'], true);
  }

  /** A call outside the specification may have deleted its target, and an action may have made the owners busy. */
  outside({ target, owners, reach, exchange }: OutsideCall): void {
    this.#unknown.set(target, exchange.ended);
    this.files.outside([target, ...owners]);
    if (reach === 'action') for (const id of owners) this.#busy.set(id, true);
  }

  /** Whether each object in the path of a call was there before it began, and nothing is known to have changed it. */
  has(call: Call): boolean {
    const { exchange, operation } = call;
    const segments = pathOf(exchange.request.target).split('/');
    const parts = operation.path.split('/');
    const last = parts.findLastIndex((part) => part.startsWith('{'));
    return parts.every((part, i) => {
      if (!part.startsWith('{')) return true;
      if (i < last && this.#modified.get(decodeURIComponent(segments[i] ?? '')) === true) return false;
      const since = this.#shown.get(pathShownTo(call, segments.slice(0, i + 1).join('/')));
      return (
        since !== undefined &&
        since <= exchange.after &&
        !this.#isDisturbed(decodeURIComponent(segments[i] ?? ''), call)
      );
    });
  }

  /** Whether an object of that id was there before a call began, wherever it belongs. */
  hasId(id: string, call: Call): boolean {
    const since = this.#ids.get(shownTo(call, id)) ?? this.#ids.get(assistantShownTo(call, id));
    return since !== undefined && since <= call.exchange.after && !this.#isDisturbed(id, call);
  }

  /** Whether the list that a call asks for has shown an element of that id before the call began. */
  hasElement(id: string, call: Call): boolean {
    return this.#hasPath(`${pathOf(call.exchange.request.target)}/${encodeURIComponent(id)}`, id, call);
  }

  /** Whether the thread of a call has shown a run of that id before the call began. */
  hasRun(id: string, call: Call): boolean {
    const thread = encodeURIComponent(call.path['thread_id'] ?? '');
    return this.#hasPath(`/v1/threads/${thread}/runs/${encodeURIComponent(id)}`, id, call);
  }

  #hasPath(path: string, id: string, call: Call): boolean {
    const since = this.#shown.get(pathShownTo(call, path));
    return since !== undefined && since <= call.exchange.after && !this.#isDisturbed(id, call);
  }

  /** A run shows its thread. */
  #showThread({ object, thread_id: thread }: ShownObject, call: Call): void {
    if (object !== 'thread.run' || typeof thread !== 'string') return;
    this.#show(`/v1/threads/${encodeURIComponent(thread)}`, thread, call);
  }

  #show(path: string, id: string, call: Call): void {
    const { after, ended } = call.exchange;
    const place = pathShownTo(call, path);
    const name = ASSISTANT.test(path) ? assistantShownTo(call, id) : shownTo(call, id);
    const unknownSince = this.#unknown.get(id);
    if (unknownSince !== undefined && unknownSince <= after) {
      this.#unknown.delete(id);
      this.#shown.delete(place);
      this.#ids.delete(name);
    }
    if (this.#shown.get(place) === undefined) this.#shown.set(place, ended);
    if (this.#ids.get(name) === undefined) this.#ids.set(name, ended);
  }

  /** Whether a call may have deleted an object or, where more than a look at it is asked for, keeps it busy. */
  #isDisturbed(id: string, call: Call): boolean {
    // All are read at each use of an object, so that what is known of it is not forgotten before the object is.
    const [isDeleted, isBusy] = [this.#deleted.get(id) === true, this.#busy.get(id) === true];
    const isIdle = this.#threads.isIdle(id, call);
    const isExpired = this.#expired.get(id) === true;
    return (
      isDeleted ||
      (call.operation.method === 'DELETE' && !this.#inUse.isIdle(id, call)) ||
      this.#unknown.get(id) !== undefined ||
      (call.operation.method !== 'GET' && (isBusy || !isIdle)) ||
      (call.operation.method === 'POST' && isExpired)
    );
  }
}

/**
 * The id of the object that a call may have deleted, filled or made busy: a deletion, whatever came of it; files that are put
 * into it; a run, which keeps its thread busy until it ends; a cancellation. Null for any other call.
 */
export function disturbedBy(call: Call): string | null {
  switch (effectOf(call.operation)) {
    case 'deletes':
    case 'cancels':
      return Object.values(call.path).at(-1) ?? null;
    case 'attaches':
      return Object.values(call.path)[0] ?? null;
    case 'runs':
      return Object.values(call.path)[0] ?? threadIn(call.sentJson);
    default:
      return null;
  }
}

/** The id of the object that a call may have modified; null for any other call. */
export function modifiedBy({ operation, path }: Call): string | null {
  return effectOf(operation) === 'modifies' ? (Object.values(path).at(-1) ?? null) : null;
}

/** What a call of an operation may do to an object that is there already. */
type Effect = 'deletes' | 'cancels' | 'attaches' | 'runs' | 'modifies' | null;

/** By id of the operation. */
const effects = new Map<string, Effect>();

/** Computed once for each operation, because every call asks. */
function effectOf(operation: Operation): Effect {
  const known = effects.get(operation.id);
  if (known !== undefined) return known;
  const effect = newEffect(operation);
  effects.set(operation.id, effect);
  return effect;
}

/** By method and path: the specification names operations of one kind alike. */
function newEffect({ method, path }: Operation): Effect {
  if (method === 'DELETE') return 'deletes';
  if (path.endsWith('/cancel')) return 'cancels';
  if (method !== 'POST') return null;
  if (path.endsWith('/runs')) return 'runs';
  if (/\}\/(files|file_batches)$/.test(path)) return 'attaches';
  return path.endsWith('}') ? 'modifies' : null;
}

/** A path or an id, as its caller was shown it. */
function shownTo({ exchange }: Call, object: string): string {
  return `${callerOf(exchange.request)} ${object}`;
}

/** A path, as its caller was shown it: what is answered of an assistant under the header of the other version is not stated. */
function pathShownTo(call: Call, path: string): string {
  return shownTo(call, path.startsWith(ASSISTANTS) ? `${call.variant?.beta} ${path}` : path);
}

/** Where paths of assistants begin. */
const ASSISTANTS = '/v1/assistants/';

/** The path of an assistant. */
const ASSISTANT = /^\/v1\/assistants\/[^/]+$/;

/** The id of an assistant, as its caller was shown it under the header of its version. */
function assistantShownTo(call: Call, id: string): string {
  return shownTo(call, `${call.variant?.beta} ${id}`);
}

/** The path of a request, without its query. */
function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}
