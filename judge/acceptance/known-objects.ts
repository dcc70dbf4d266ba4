import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import type { Operation } from '../../schemas/index.ts';
import { answeredAt, areSessionsApart, type Call, callerOf, targetPath } from '../trace/call.ts';
import { isObject, textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { OutsideCall } from '../trace/outside-call.ts';

export class KnownObjects {
  readonly #shown = new LruMap<number>();
  readonly #ids = new LruMap<number>();
  /** When a response last showed an id. */
  readonly #seenAt = new LruMap<number>();
  readonly #deleted = new LruMap<true>();
  readonly #busy = new LruMap<true>();
  readonly #expired = new LruMap<true>();
  readonly #modified = new LruMap<true>();
  readonly #unknown = new LruMap<number>();
  readonly #threads = new ThreadActivity();
  readonly #inUse = new ObjectsInUse();
  /** Contents and purposes of uploaded files, and the objects to which they were attached. */
  readonly files = new AttachedFiles();
  /** Tools, JSON mode and instructions of assistants, as responses show them. */
  readonly tools = new AssistantTools();
  /** The minimum context of each model, in tokens, as accepted requests show. */
  readonly contexts = new ModelContexts();

  /** Learns which objects a call shows, changes, deletes or makes busy. Calls come in the order in which they ended. */
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
    const path = targetPath(exchange.request.target);
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
      if (call.responseJson !== undefined) this.#show(`${path}/${encodeURIComponent(id)}`, id, call);
      if (own !== null) this.#show(own, id, call);
      this.#showThread(object, call);
    }
  }

  #describe(object: ShownObject, call: Call): void {
    this.#inUse.show(object, call);
    this.tools.show(object);
    this.files.show(object);
    // The specification does not say whether an expired store can still be changed.
    if (object['status'] === 'expired' && typeof object['id'] === 'string')
      this.#expired.set(object['id'], true);
  }

  /** Marks the target of a call outside the specification as unknown until a later response shows it. */
  outside({ target, owners, reach, exchange }: OutsideCall): void {
    this.#unknown.set(target, exchange.ended);
    this.files.outside([target, ...owners]);
    if (reach === 'action') for (const id of owners) this.#busy.set(id, true);
  }

  /** Whether responses had shown every object in the path of a call before it began. */
  has(call: Call): boolean {
    const { exchange, operation } = call;
    const segments = targetPath(exchange.request.target).split('/');
    const parts = operation.path.split('/');
    const last = parts.findLastIndex((part) => part.startsWith('{'));
    return parts.every((part, i) => {
      if (!part.startsWith('{')) return true;
      const id = decodeURIComponent(segments[i] ?? '');
      if (i < last && this.#modified.get(id) === true) return false;
      return this.#hasPath(segments.slice(0, i + 1).join('/'), id, call);
    });
  }

  /** Whether a response had shown that id anywhere before the call began. */
  hasId(id: string, call: Call): boolean {
    const since = this.#ids.get(shownTo(call, id)) ?? this.#ids.get(assistantShownTo(call, id));
    return since !== undefined && since <= call.exchange.after && !this.#isDisturbed(id, call);
  }

  /** Whether a response had shown that id in the requested list before the call began. */
  hasElement(id: string, call: Call): boolean {
    return this.#hasPath(`${targetPath(call.exchange.request.target)}/${encodeURIComponent(id)}`, id, call);
  }

  /** Whether a response had shown that run in the thread before the call began. */
  hasRun(id: string, call: Call): boolean {
    const thread = encodeURIComponent(call.path['thread_id'] ?? '');
    return this.#hasPath(`/v1/threads/${thread}/runs/${encodeURIComponent(id)}`, id, call);
  }

  #hasPath(path: string, id: string, call: Call): boolean {
    const since = this.#shown.get(pathShownTo(call, path));
    return since !== undefined && since <= call.exchange.after && !this.#isDisturbed(id, call);
  }

  #showThread({ object, thread_id: thread }: ShownObject, call: Call): void {
    if (object !== 'thread.run' || typeof thread !== 'string') return;
    this.#show(`/v1/threads/${encodeURIComponent(thread)}`, thread, call);
  }

  #show(path: string, id: string, call: Call): void {
    const { after, ended } = call.exchange;
    const at = answeredAt(call.exchange);
    if (at !== null) this.#seenAt.set(id, at);
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

  #isDisturbed(id: string, call: Call): boolean {
    const [isDeleted, isBusy] = [this.#deleted.get(id) === true, this.#busy.get(id) === true];
    const isIdle = this.#threads.isIdle(id, call);
    const isExpired = this.#expired.get(id) === true;
    return (
      isDeleted ||
      areSessionsApart(this.#seenAt.get(id) ?? null, answeredAt(call.exchange)) ||
      (call.operation.method === 'DELETE' && !this.#inUse.isIdle(id, call)) ||
      this.#unknown.get(id) !== undefined ||
      (call.operation.method !== 'GET' && (isBusy || !isIdle)) ||
      (call.operation.method === 'POST' && isExpired)
    );
  }
}

/**
 * The object that a call may have deleted, filled or made busy: the target of a deletion or cancellation, the owner
 * of an attached file, or the thread of a run.
 */
export function disturbedBy(call: Call): string | null {
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

export function modifiedBy({ operation, path }: Call): string | null {
  return effectOf(operation) === 'modifies' ? (Object.values(path).at(-1) ?? null) : null;
}

type Effect = 'deletes' | 'cancels' | 'attaches' | 'runs' | 'modifies' | null;

const effects = new Map<string, Effect>();

function effectOf(operation: Operation): Effect {
  return getOrMake(effects, operation.id, () => newEffect(operation));
}

function newEffect({ method, path }: Operation): Effect {
  if (method === 'DELETE') return 'deletes';
  if (path.endsWith('/cancel')) return 'cancels';
  if (method !== 'POST') return null;
  if (path.endsWith('/runs')) return 'runs';
  if (/\}\/(files|file_batches)$/.test(path)) return 'attaches';
  return path.endsWith('}') ? 'modifies' : null;
}

function shownTo({ exchange }: Call, object: string): string {
  return `${callerOf(exchange.request)} ${object}`;
}

function pathShownTo(call: Call, path: string): string {
  return shownTo(call, path.startsWith(ASSISTANTS) ? `${call.variant?.beta} ${path}` : path);
}

const ASSISTANTS = '/v1/assistants/';

const ASSISTANT = /^\/v1\/assistants\/[^/]+$/;

function assistantShownTo(call: Call, id: string): string {
  return shownTo(call, `${call.variant?.beta} ${id}`);
}

export type ShownObject = Readonly<Record<string, Json>>;

/** The objects in a response, in order: the response itself and the elements of a list, or the events of a run. */
function shownObjects(call: Call): readonly ShownObject[] {
  const { responseJson: response, exchange } = call;
  if (response !== undefined) return [response, ...elements(response)].filter(isObject);
  // Only streams of runs contain objects that can be retrieved later; completion chunks cannot.
  if (
    exchange.response === null ||
    call.responseClass !== 'accepted' ||
    !call.operation.path.endsWith('/runs')
  )
    return [];
  return (eventsOf(exchange.response)?.events ?? []).flatMap(({ json }) =>
    json !== null && isObject(json.value) ? [json.value] : [],
  );
}

function ownPath(object: ShownObject): string | null {
  const place = PLACES[String(object['object'])]?.(object);
  if (place === undefined) return null;
  const parts = [...place, object['id']];
  if (!parts.every((part) => typeof part === 'string' && part !== '')) return null;
  return `/v1/${parts.map((part) => encodeURIComponent(String(part))).join('/')}`;
}

const PLACES: Readonly<Record<string, (object: ShownObject) => readonly (Json | undefined)[]>> = {
  thread: () => ['threads'],
  'thread.run': ({ thread_id }) => ['threads', thread_id, 'runs'],
  'thread.run.step': ({ thread_id, run_id }) => ['threads', thread_id, 'runs', run_id, 'steps'],
  'vector_store.file_batch': fileBatches,
  'vector_store.files_batch': fileBatches,
};

function fileBatches({ vector_store_id }: ShownObject): readonly (Json | undefined)[] {
  return ['vector_stores', vector_store_id, 'files_batches'];
}

function elements(response: Json): readonly Json[] {
  const data = isObject(response) ? response['data'] : undefined;
  return Array.isArray(data) ? data : [];
}

/** Tracks threads with a run in progress: a run keeps its thread busy until a response shows its end. */
class ThreadActivity {
  readonly #idleFrom = new LruMap<number>();

  call(call: Call): void {
    if (!call.operation.path.endsWith('/runs') || call.operation.method !== 'POST') return;
    // A refused request starts no run; a request without a response may.
    if (call.responseClass === 'rejected' || call.responseClass === 'absent') return;
    const runs = shownObjects(call).filter((object) => object['object'] === 'thread.run');
    const threads = [call.path['thread_id'], ...runs.map((run) => run['thread_id'])];
    const isOver = ENDED.includes(runs.at(-1)?.['status']);
    for (const thread of new Set(threads)) {
      if (typeof thread !== 'string') continue;
      const from = isOver ? call.exchange.ended : Number.POSITIVE_INFINITY;
      this.#idleFrom.set(thread, Math.max(from, this.#idleFrom.get(thread) ?? 0));
    }
  }

  /** Whether no run was in progress in a thread when a call began. */
  isIdle(thread: string, { exchange }: Call): boolean {
    return (this.#idleFrom.get(thread) ?? 0) <= exchange.after;
  }
}

/** Members of a job or run that name objects in use. Whether these may be deleted meanwhile is unspecified. */
const USING: Readonly<Record<string, readonly string[]>> = {
  batch: ['input_file_id'],
  'fine_tuning.job': ['training_file', 'validation_file'],
  'thread.run': ['assistant_id'],
};

const ENDED: readonly unknown[] = ['completed', 'succeeded', 'incomplete', 'failed', 'cancelled', 'expired'];

/** Maximum number of users tracked per object. With more, it counts as in use forever. */
const USERS = 100;

/** Tracks which objects are in use, according to the last response that showed their users. */
class ObjectsInUse {
  readonly #until = new LruMap<Map<string, number>>();

  show(shown: ShownObject, { exchange }: Call): void {
    const { id, object, status } = shown;
    if (typeof id !== 'string') return;
    for (const name of USING[String(object)] ?? []) {
      const used = shown[name];
      if (typeof used !== 'string') continue;
      const users = this.#until.at(used, () => new Map());
      if (users.has(id) || users.size < USERS)
        users.set(id, ENDED.includes(status) ? exchange.ended : Number.POSITIVE_INFINITY);
    }
  }

  isIdle(id: string, { exchange }: Call): boolean {
    const users = this.#until.get(id);
    if (users === undefined) return true;
    return users.size < USERS && [...users.values()].every((until) => until <= exchange.after);
  }
}

/** Maximum number of files of an assistant in version 1. */
const MOST = 20;
/** Maximum number of files tracked per assistant or store. */
const REMEMBERED = 1000;

/** Uploaded files, and the assistants and vector stores to which they were attached. */
class AttachedFiles {
  readonly #contents = new LruMap<string>();
  readonly #purposes = new LruMap<string>();
  readonly #wanted = new LruMap<Set<string>>();

  readonly #unknown = new LruMap<true>();

  /** Records that a call outside the specification may have attached files to these objects. */
  outside(ids: readonly string[]): void {
    for (const id of ids) this.#unknown.set(id, true);
  }

  show({ object, id, purpose }: ShownObject): void {
    if (object === 'file' && typeof id === 'string' && typeof purpose === 'string')
      this.#purposes.set(id, purpose);
  }

  purposeOf(id: string): string | null {
    return this.#purposes.get(id) ?? null;
  }

  call(call: Call): void {
    const { responseJson: response, operation } = call;
    const id = isObject(response) ? response['id'] : undefined;
    if (operation.id === 'createFile' && typeof id === 'string' && call.knowsRequest)
      this.#contents.set(id, contentOf(call));
    const files = fileIdsIn(call.sentJson);
    const owner = Object.values(call.path)[0] ?? id;
    if (!call.holdsRequest && typeof owner === 'string') this.outside([owner]);
    if (files.length === 0 || typeof owner !== 'string') return;
    const wanted = this.#wanted.at(owner, () => new Set());
    for (const file of files) if (wanted.size < REMEMBERED) wanted.add(file);
  }

  /** Whether none of the files is attached yet, and there is room for all of them. */
  areNew(call: Call): boolean {
    const owner = Object.values(call.path)[0] ?? '';
    if (this.#unknown.get(owner) === true) return false;
    const wanted = this.#wanted.get(owner);
    const files = fileIdsIn(call.requestJson);
    if (new Set(files).size < files.length) return false;
    const all = files.length + (wanted?.size ?? 0);
    const most = call.operation.id === 'createAssistantFile' ? MOST : REMEMBERED - 1;
    return all <= most && !files.some((file) => wanted?.has(file) === true);
  }

  /** A key for the content of each file that a request names; null if the trace lacks an upload. */
  contentsIn(call: Call): readonly string[] | null {
    const contents = fileIdsIn(call.requestJson).map((id) => this.#contents.get(id));
    const known = contents.filter((one) => one !== undefined);
    return known.length === contents.length ? known : null;
  }
}

const FILES = ['file_id', 'file_ids', 'input_file_id', 'training_file', 'validation_file'] as const;

export function fileIdsIn(body: Json | undefined): readonly string[] {
  if (!isObject(body)) return [];
  return FILES.flatMap((name) => body[name] ?? []).filter((id) => typeof id === 'string');
}

function contentOf({ exchange, requestJson: body }: Call): string {
  const file = (formDataParts(exchange.request) ?? []).find(({ filename }) => filename !== null);
  const purpose = isObject(body) ? String(body['purpose']) : '';
  return `${purpose} ${endingOf(file?.filename ?? null)} ${file?.body.sha256 ?? ''}`;
}

/** The text after the last dot of a file name, by which services recognize the format. */
export function endingOf(filename: string | null): string {
  return filename?.slice(filename.lastIndexOf('.') + 1) ?? '';
}

class AssistantTools {
  readonly #names = new LruMap<readonly string[] | null>();

  readonly #inJson = new LruMap<true>();
  readonly #instructed = new LruMap<boolean>();

  show(shown: ShownObject): void {
    const { object, id, tools, response_format: format, instructions } = shown;
    if (object !== 'assistant' || typeof id !== 'string') return;
    if (isObject(format) && format['type'] === 'json_object') this.#inJson.set(id, true);
    const asks = typeof instructions === 'string' && asksForJson(instructions);
    this.#instructed.set(id, asks && this.#instructed.get(id) !== false);
    this.#showTools(id, tools);
  }

  /** Whether a run may use JSON mode because its assistant does. */
  isInJson(id: string): boolean {
    return this.#inJson.get(id) === true;
  }

  /** Whether the instructions of the assistant ask for JSON in every response that shows it. */
  isInstructed(id: string): boolean {
    return this.#instructed.get(id) === true;
  }

  #showTools(id: string, tools: Json | undefined): void {
    if (!Array.isArray(tools)) return;
    const names = tools.map(toolName);
    const known = this.#names.get(id);
    if (known === undefined) this.#names.set(id, names);
    // The tools changed, so those at the start of a run are unknown.
    else if (known?.join('\n') !== names.join('\n')) this.#names.set(id, null);
  }

  /** Null if the tools are unknown or have changed. */
  namesOf(id: string): readonly string[] | null {
    return this.#names.get(id) ?? null;
  }
}

/** Tokens that fit the context of any model: the smallest context that a service with this API has offered. */
const SMALLEST = 2048;

/** Operations that refuse a request which exceeds the context of its model. Runs end incomplete instead. */
const BOUND: ReadonlySet<string> = new Set(['createChatCompletion', 'createCompletion']);

class ModelContexts {
  readonly #shown = new LruMap<number>();

  call(call: Call): void {
    if (!BOUND.has(call.operation.id) || call.responseClass !== 'accepted') return;
    const { sentJson: body, responseJson: response } = call;
    const usage = isObject(response) ? response['usage'] : undefined;
    const total = isObject(usage) ? usage['total_tokens'] : undefined;
    const model = isObject(body) ? body['model'] : undefined;
    if (typeof total !== 'number' || typeof model !== 'string' || total <= SMALLEST) return;
    this.#shown.set(model, Math.max(total, this.#shown.get(model) ?? 0));
  }

  /** Whether a request certainly fits: a token takes at least one byte of the body. */
  holds({ operation, exchange, requestJson: body }: Call): boolean {
    if (!BOUND.has(operation.id)) return true;
    const { model, max_tokens: most } = isObject(body) ? body : {};
    const tokens = exchange.request.body.size + (typeof most === 'number' ? most : 0);
    return tokens <= Math.max(SMALLEST, this.#shown.get(String(model)) ?? 0);
  }
}

/** "JSON" is the same word in every language. */
export function asksForJson(text: string): boolean {
  return /json/i.test(text);
}

/** The name of a function, or the type of another tool: equal for a tool and for the choice that forces it. */
export function toolName(tool: Json): string {
  const called = isObject(tool) ? tool['function'] : undefined;
  if (isObject(called)) return `function ${String(called['name'])}`;
  return isObject(tool) ? String(tool['type']) : '';
}
