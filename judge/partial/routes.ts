import { createHash } from 'node:crypto';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { sortKeys } from '../../exchange/matching/request-key.ts';
import { decodedSegment } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { textAt } from '../trace/json.ts';
import { responseClassOf } from '../trace/response-class.ts';

/**
 * Where an exchange is judged, and which parts see it. Exchanges about one thread, store, batch or job are judged
 * together; every part sees the exchanges on which others may depend.
 */
export interface Route {
  readonly names: readonly string[];
  /** Whether every part sees it. */
  readonly isShared: boolean;
}

/** The path of such a resource: collection, id, rest. */
const OWN = /\/(threads|vector_stores|batches|fine_tuning\/jobs)(?:\/([^/?]+))?(\/[^?]*)?$/;
/** Every part sees the exchange, and any may judge it. */
const ANYWHERE: Route = { names: [], isShared: true };
/** Paths of requests that concern no stored object. */
const ALONE = /\/completions$/;

/** Exchanges of scenarios are shared, because they are compared with each other. */
export function routeOf(exchange: Exchange): Route {
  const { request, scenario } = exchange;
  if (scenario !== null) return ANYWHERE;
  const path = pathOf(exchange);
  const [, collection, id, below] = OWN.exec(path) ?? [];
  if (collection === undefined) return isAlone(exchange, path) ? routeOfCompletion(exchange) : ANYWHERE;
  // A list shows all objects of its kind. Threads have no list.
  const isShared = collection !== 'threads' && (collection !== 'vector_stores' || below === undefined);
  const isOnNewThread = collection === 'threads' && id === 'runs';
  const links = collection === 'vector_stores' ? filesOf(exchange, below) : [];
  if (id !== undefined && !isOnNewThread)
    return { names: [nameOf(collection, decodedSegment(id)), ...links], isShared };
  if (request.method !== 'POST') return ANYWHERE;
  const created = createdIn(exchange, isOnNewThread ? 'thread_id' : 'id');
  const asked = isOnNewThread ? askedIn(exchange) : null;
  const own = created === null ? exchange.id : nameOf(collection, created);
  return { names: [own, ...links, ...(asked === null ? [] : [asked])], isShared };
}

/** Whether the exchange is the reply of a model; lists of models are compared with the first one. */
export function isAnswerOfModel(exchange: Exchange): boolean {
  return /\/chat\/completions$/.test(pathOf(exchange)) && responseClassOf(exchange) === 'accepted';
}

/** The name of the resource to which an object belongs, as in routes. */
export function resourceOf(object: Json): string {
  const thread = textAt(object, 'thread_id');
  const store = textAt(object, 'vector_store_id');
  const id = textAt(object, 'id') ?? '';
  if (thread !== undefined) return nameOf('threads', thread);
  if (store !== undefined) return nameOf('vector_stores', store);
  const collection = COLLECTIONS[textAt(object, 'object') ?? ''];
  return collection === undefined ? id : nameOf(collection, id);
}

const COLLECTIONS: Readonly<Record<string, string>> = {
  thread: 'threads',
  vector_store: 'vector_stores',
  batch: 'batches',
  'fine_tuning.job': 'fine_tuning/jobs',
};

function nameOf(collection: string, id: string): string {
  return `${collection}/${id}`;
}

function isAlone({ request }: Exchange, path: string): boolean {
  return request.method === 'POST' && ALONE.test(path);
}

function routeOfCompletion(exchange: Exchange): Route {
  const asked = askedIn(exchange);
  if (asked === null) return ANYWHERE;
  const created = createdIn(exchange, 'id');
  return { names: [asked, ...(created === null ? [] : [`answered/${created}`])], isShared: false };
}

function askedIn({ request }: Exchange): string | null {
  const asked = request.body.json?.value;
  if (!isJsonObject(asked)) return null;
  const { stream: _, stream_options: __, ...rest } = asked;
  return `asked/${createHash('sha256')
    .update(JSON.stringify(sortKeys(rest)))
    .digest('base64url')}`;
}

function filesOf({ request }: Exchange, below = ''): readonly string[] {
  const [, file] = /^\/files\/([^/]+)/.exec(below) ?? [];
  const asked = request.body.json?.value;
  const sent = isJsonObject(asked) ? [asked['file_id'], asked['file_ids']].flat() : [];
  const ids = [...sent, file === undefined ? undefined : decodedSegment(file)];
  return ids.flatMap((id) => (typeof id === 'string' ? [nameOf('files', id)] : []));
}

function pathOf({ request }: Exchange): string {
  return request.target.split('?', 1)[0] ?? '';
}

function createdIn({ response }: Exchange, member: string): string | null {
  if (response === null) return null;
  const whole = textAt(response.body.json?.value, member);
  if (whole !== undefined) return whole;
  for (const { json } of eventsOf(response)?.events ?? []) {
    const found = textAt(json?.value, member);
    if (found !== undefined) return found;
  }
  return null;
}
