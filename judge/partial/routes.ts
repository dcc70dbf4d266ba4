import { hasChangedResponse } from '../../exchange/disturbed.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { decodeSegment } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { bodyDigest } from '../evidence/streamed-pairs.ts';
import { targetPath } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';
import { responseClassOf } from '../trace/response-class.ts';

const COLLECTIONS: ReadonlyMap<string, string> = new Map([
  ['thread', 'threads'],
  ['vector_store', 'vector_stores'],
  ['batch', 'batches'],
  ['fine_tuning.job', 'fine_tuning/jobs'],
]);

export interface Route {
  /** One part judges all exchanges that share a name, such as `threads/thread_1`; empty if any part may judge them. */
  readonly names: readonly string[];
  /** Whether every part sees the exchange; otherwise only the part that judges it. */
  readonly isShared: boolean;
}

/** The path of a resource that one part judges alone: collection, id, and the path below it. */
const OWNED_PATH = /\/(threads|vector_stores|batches|fine_tuning\/jobs)(?:\/([^/?]+))?(\/[^?]*)?$/;
const ANYWHERE: Route = { names: [], isShared: true };

/** Every part sees exchanges of scenarios, because they are compared. */
export function routeOf(exchange: Exchange): Route {
  if (exchange.scenario !== null) return ANYWHERE;
  const { method, target } = exchange.request;
  const path = targetPath(target);
  const [, collection, id, below] = OWNED_PATH.exec(path) ?? [];
  if (collection === undefined)
    return method === 'POST' && path.endsWith('/completions') ? routeOfCompletion(exchange) : ANYWHERE;
  // A list shows all objects of its kind. Threads have no list.
  const isShared = collection !== 'threads' && (collection !== 'vector_stores' || below === undefined);
  const isOnNewThread = collection === 'threads' && id === 'runs';
  const files = collection === 'vector_stores' ? fileNames(exchange, below) : [];
  if (id !== undefined && !isOnNewThread)
    return { names: [nameOf(collection, decodeSegment(id)), ...files], isShared };
  if (method !== 'POST') return ANYWHERE;
  const createdId = findCreatedId(exchange, isOnNewThread ? 'thread_id' : 'id');
  const requestName = isOnNewThread ? requestNameOf(exchange) : null;
  const own = createdId === null ? exchange.id : nameOf(collection, createdId);
  return { names: [own, ...files, ...(requestName === null ? [] : [requestName])], isShared };
}

/** The first chat completion of a trace is evidence together with later lists of models, so every part sees it. */
export function isChatAnswer(exchange: Exchange): boolean {
  const { method, target } = exchange.request;
  if (method !== 'POST' || !targetPath(target).endsWith('/chat/completions')) return false;
  return responseClassOf(exchange) === 'accepted' && !hasChangedResponse(exchange);
}

/** The name of the thread, vector store, batch or job with which an object is judged; otherwise its own id. */
export function resourceOf(object: Json): string {
  const thread = textAt(object, 'thread_id');
  const store = textAt(object, 'vector_store_id');
  const id = textAt(object, 'id') ?? '';
  if (thread !== undefined) return nameOf('threads', thread);
  if (store !== undefined) return nameOf('vector_stores', store);
  const collection = COLLECTIONS.get(textAt(object, 'object') ?? '');
  return collection === undefined ? id : nameOf(collection, id);
}

function nameOf(collection: string, id: string): string {
  return `${collection}/${id}`;
}

function routeOfCompletion(exchange: Exchange): Route {
  const requestName = requestNameOf(exchange);
  if (requestName === null) return ANYWHERE;
  const createdId = findCreatedId(exchange, 'id');
  const answerNames = createdId === null ? [] : [`answered/${createdId}`];
  return { names: [requestName, ...promptNames(exchange), ...answerNames], isShared: false };
}

/** Names of the prompts: a completion of several prompts is compared with completions of each prompt alone. */
function promptNames({ request }: Exchange): readonly string[] {
  const body = jsonContent(request);
  const prompt = isJsonObject(body) ? body['prompt'] : undefined;
  if (prompt === undefined) return [];
  const isTokenList = Array.isArray(prompt) && prompt.every((part) => typeof part === 'number');
  const prompts = Array.isArray(prompt) && !isTokenList ? prompt : [prompt];
  return prompts.map((one) => `prompt/${bodyDigest(one)}`);
}

function requestNameOf({ request }: Exchange): string | null {
  const body = jsonContent(request);
  if (!isJsonObject(body)) return null;
  const { stream: _, stream_options: __, ...common } = body;
  return `asked/${bodyDigest(common)}`;
}

function fileNames({ request }: Exchange, below = ''): readonly string[] {
  const [, file] = /^\/files\/([^/]+)/.exec(below) ?? [];
  const body = jsonContent(request);
  const fileIds = isJsonObject(body) ? [body['file_id'], body['file_ids']].flat() : [];
  const ids = [...fileIds, file === undefined ? undefined : decodeSegment(file)];
  return ids.flatMap((id) => (typeof id === 'string' ? [nameOf('files', id)] : []));
}

function findCreatedId({ response }: Exchange, member: string): string | null {
  if (response === null) return null;
  const idInBody = textAt(jsonContent(response), member);
  if (idInBody !== undefined) return idInBody;
  for (const { json } of eventsOf(response)?.events ?? []) {
    const id = textAt(json?.value, member);
    if (id !== undefined) return id;
  }
  return null;
}
