import { createHash } from 'node:crypto';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { decodeSegment } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { bodyDigest } from '../evidence/streams.ts';
import { responseClassOf, targetPath } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';
import { numberOf } from '../trace/timed.ts';

/** Flag in the place of an exchange that every part sees. */
export const SHARED = 0x8000;

/** The parts into which traffic is cut, as plain data that threads share. */
export interface TrafficPlaces {
  /** Number of parts, which are counted from 0. */
  readonly parts: number;
  /** The part of each exchange, by number from 1, with `SHARED` set if every part sees it. */
  readonly places: Uint16Array;
  /** See `NameLinks`. */
  readonly links: Float64Array;
}

export interface PlanColumns {
  /** The first resource of each exchange; 0 for none. */
  readonly names: Float64Array;
  /** 1 for each exchange that every part sees, otherwise 0; by number of the exchange, from 1. */
  readonly shared: Uint8Array;
}

/** Facts about one span of the traffic that are not in the shared columns; plain data. */
export interface PlanPart {
  /** Links between names of one resource, in the form of `NameLinks.slots`. */
  readonly links: Float64Array;
  /** First successful chat completion to end in each trace; traces are counted from 0. */
  readonly answers: readonly (readonly [trace: number, answer: FirstAnswer])[];
  /** False if a request body was not recorded or is too large to read: its links are then unknown. */
  readonly canCut: boolean;
}

interface FirstAnswer {
  readonly number: number;
  readonly ended: number;
}

/**
 * Decides in one pass over the traffic which exchanges are judged together. Memory: 11 bytes per exchange, plus the
 * links of names.
 */
export class TrafficPlan {
  /** Facts by exchange; threads write to them directly, so `part` leaves them out. */
  readonly columns: PlanColumns;
  readonly #links = new NameLinks();
  readonly #answers = new Map<number, FirstAnswer>();
  #trace = 0;
  #canCut = true;

  constructor(columns: PlanColumns) {
    this.columns = columns;
  }

  /** Records the resources that an exchange is about, and whether every part sees it. */
  add(exchange: Exchange): void {
    const { body } = exchange.request;
    if (!body.isKept && body.parts === null) this.#canCut = false;
    const number = numberOf(exchange.id);
    const { names, isShared } = routeOf(exchange);
    if (isShared) this.columns.shared[number] = 1;
    if (isAnswerOfModel(exchange)) this.#answer(this.#trace, { number, ended: exchange.ended });
    const [first = 0, ...others] = names.map(numberOfName);
    this.columns.names[number] = first;
    for (const other of others) this.#links.link(first, other);
  }

  /** Starts another trace. */
  next(): void {
    this.#trace += 1;
  }

  /** Returns links and facts without the shared columns. */
  part(): PlanPart {
    return { links: this.#links.slots, answers: [...this.#answers], canCut: this.#canCut };
  }

  /** Adds the facts about another span of the traffic. */
  absorb({ links, answers, canCut }: PlanPart): void {
    for (const [name, to] of linksIn(links)) this.#links.link(name, to);
    for (const [trace, answer] of answers) this.#answer(trace, answer);
    this.#canCut &&= canCut;
  }

  /** Divides the traffic. If it cannot be cut, the first part gets all of it. */
  places(parts: number): TrafficPlaces {
    const { names, shared } = this.columns;
    for (const { number } of this.#answers.values()) shared[number] = 1;
    const places = new Uint16Array(new SharedArrayBuffer(names.length * Uint16Array.BYTES_PER_ELEMENT));
    for (const [number, name] of names.entries()) {
      const part = name === 0 ? number % parts : this.#links.rootOf(name) % parts;
      places[number] = this.#canCut ? part + (shared[number] === 1 ? SHARED : 0) : SHARED;
    }
    return { parts, places, links: this.#links.slots };
  }

  #answer(trace: number, answer: FirstAnswer): void {
    const known = this.#answers.get(trace);
    if (known === undefined || answer.ended < known.ended) this.#answers.set(trace, answer);
  }
}

/** The fraction of exchanges that every part sees. */
export function sharedFraction({ places }: TrafficPlaces): number {
  return places.reduce((sum, place) => sum + (place >= SHARED ? 1 : 0), 0) / places.length;
}

export function planColumns(size: number): PlanColumns {
  const bytes = (size + 1) * Float64Array.BYTES_PER_ELEMENT;
  return {
    names: new Float64Array(new SharedArrayBuffer(bytes)),
    shared: new Uint8Array(new SharedArrayBuffer(size + 1)),
  };
}

export function cutOf({ parts, places, links }: TrafficPlaces, index: number): TrafficCut {
  const known = new NameLinks(links);
  const placeOf = ({ id }: Exchange) => places[numberOf(id)] ?? SHARED;
  return {
    isOwn: (exchange) => (placeOf(exchange) & ~SHARED) === index,
    isShared: (exchange) => placeOf(exchange) >= SHARED,
    ownsObject: (object: Json) => known.rootOf(numberOfName(resourceOf(object))) % parts === index,
  };
}

export function isSeenBy({ places }: TrafficPlaces, index: number): (number: number) => boolean {
  return (number) => {
    const place = places[number] ?? SHARED;
    return place >= SHARED || place === index;
  };
}

/**
 * One of the parts into which traffic is cut. Exchanges about one resource, such as a thread, are in one part.
 * Exchanges that others may depend on are shared: every part sees them, and one judges them.
 */
export interface TrafficCut {
  /** Whether this part judges the exchange. */
  isOwn(exchange: Exchange): boolean;
  /** Whether every part sees the exchange. */
  isShared(exchange: Exchange): boolean;
  /** Whether this part judges the exchanges about the object, or about the thread or store that owns it. */
  readonly ownsObject: (object: Json) => boolean;
}

/**
 * Where an exchange is judged, and which parts see it. Exchanges about one thread, store, batch or job are judged
 * together; every part sees the exchanges on which others may depend.
 */
export interface Route {
  /** Names of its resource, such as `threads/thread_1`; empty if any part may judge the exchange. */
  readonly names: readonly string[];
  /** Whether every part sees it. */
  readonly isShared: boolean;
}

/** The path of a resource that one part judges alone: collection, id, rest. */
const OWN = /\/(threads|vector_stores|batches|fine_tuning\/jobs)(?:\/([^/?]+))?(\/[^?]*)?$/;
/** Every part sees the exchange, and any may judge it. */
const ANYWHERE: Route = { names: [], isShared: true };
/** Paths of requests that concern no stored object. */
const ALONE = /\/completions$/;

/** Exchanges of scenarios are shared, because they are compared with each other. */
function routeOf(exchange: Exchange): Route {
  const { request, scenario } = exchange;
  if (scenario !== null) return ANYWHERE;
  const path = targetPath(request.target);
  const [, collection, id, below] = OWN.exec(path) ?? [];
  if (collection === undefined)
    return request.method === 'POST' && ALONE.test(path) ? routeOfCompletion(exchange) : ANYWHERE;
  // A list shows all objects of its kind. Threads have no list.
  const isShared = collection !== 'threads' && (collection !== 'vector_stores' || below === undefined);
  const isOnNewThread = collection === 'threads' && id === 'runs';
  const links = collection === 'vector_stores' ? filesOf(exchange, below) : [];
  if (id !== undefined && !isOnNewThread)
    return { names: [nameOf(collection, decodeSegment(id)), ...links], isShared };
  if (request.method !== 'POST') return ANYWHERE;
  const created = createdIn(exchange, isOnNewThread ? 'thread_id' : 'id');
  const requestName = isOnNewThread ? requestNameOf(exchange) : null;
  const own = created === null ? exchange.id : nameOf(collection, created);
  return { names: [own, ...links, ...(requestName === null ? [] : [requestName])], isShared };
}

/** Whether the exchange is the reply of a model; lists of models are compared with the first one. */
function isAnswerOfModel(exchange: Exchange): boolean {
  return (
    /\/chat\/completions$/.test(targetPath(exchange.request.target)) &&
    responseClassOf(exchange) === 'accepted'
  );
}

/** The name of the resource to which an object belongs, as in routes. */
function resourceOf(object: Json): string {
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

function routeOfCompletion(exchange: Exchange): Route {
  const requestName = requestNameOf(exchange);
  if (requestName === null) return ANYWHERE;
  const created = createdIn(exchange, 'id');
  const answerNames = created === null ? [] : [`answered/${created}`];
  return { names: [requestName, ...promptsIn(exchange), ...answerNames], isShared: false };
}

/** Completions of several prompts are compared with those of one of them. */
function promptsIn({ request }: Exchange): readonly string[] {
  const body = jsonContent(request);
  const prompt = isJsonObject(body) ? body['prompt'] : undefined;
  if (prompt === undefined) return [];
  const isOfTokens = Array.isArray(prompt) && prompt.every((part) => typeof part === 'number');
  const prompts = Array.isArray(prompt) && !isOfTokens ? prompt : [prompt];
  return prompts.map((one) => `prompt/${bodyDigest(one)}`);
}

function requestNameOf({ request }: Exchange): string | null {
  const body = jsonContent(request);
  if (!isJsonObject(body)) return null;
  const { stream: _, stream_options: __, ...rest } = body;
  return `asked/${bodyDigest(rest)}`;
}

function filesOf({ request }: Exchange, below = ''): readonly string[] {
  const [, file] = /^\/files\/([^/]+)/.exec(below) ?? [];
  const body = jsonContent(request);
  const fileIds = isJsonObject(body) ? [body['file_id'], body['file_ids']].flat() : [];
  const ids = [...fileIds, file === undefined ? undefined : decodeSegment(file)];
  return ids.flatMap((id) => (typeof id === 'string' ? [nameOf('files', id)] : []));
}

function createdIn({ response }: Exchange, member: string): string | null {
  if (response === null) return null;
  const whole = textAt(jsonContent(response), member);
  if (whole !== undefined) return whole;
  for (const { json } of eventsOf(response)?.events ?? []) {
    const found = textAt(json?.value, member);
    if (found !== undefined) return found;
  }
  return null;
}

const FIRST = 1024;
const SLOT = 2;

/**
 * Records which names denote the same resource. Names are numbers in memory that threads can share, because an
 * exchange may have two. A linked name takes 16 to 32 bytes, an unlinked one none.
 */
export class NameLinks {
  #slots: Float64Array;
  #used = 0;

  constructor(slots: Float64Array = emptySlots(FIRST)) {
    this.#slots = slots;
  }

  /** Plain data for another thread. */
  get slots(): Float64Array {
    return this.#slots;
  }

  /** Records that two names denote one resource; no effect if they already do. */
  link(one: number, other: number): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    if (a !== b) this.#set(Math.max(a, b), Math.min(a, b));
  }

  /** Returns the lowest of the names linked with this one; the name itself if it has no link. */
  rootOf(name: number): number {
    let root = name;
    for (let next = this.#get(root); next !== 0; next = this.#get(root)) root = next;
    return root;
  }

  #get(name: number): number {
    return this.#slots[slotOf(this.#slots, name) + 1] ?? 0;
  }

  #set(name: number, to: number): void {
    const slot = slotOf(this.#slots, name);
    this.#slots[slot] = name;
    this.#slots[slot + 1] = to;
    this.#used += 1;
    if (this.#used * SLOT * 2 > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = emptySlots((old.length / SLOT) * 2);
    for (const [name, to] of linksIn(old)) {
      const slot = slotOf(this.#slots, name);
      this.#slots[slot] = name;
      this.#slots[slot + 1] = to;
    }
  }
}

export function* linksIn(slots: Float64Array): Generator<readonly [name: number, to: number]> {
  for (let at = 0; at < slots.length; at += SLOT) {
    const name = slots[at] ?? 0;
    if (name !== 0) yield [name, slots[at + 1] ?? 0];
  }
}

/** The number for a name: 48 bits of its digest. A collision only means that two resources are judged together. */
function numberOfName(name: string): number {
  return createHash('sha256').update(name).digest().readUIntLE(0, 6) || 1;
}

function emptySlots(count: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(count * SLOT * Float64Array.BYTES_PER_ELEMENT));
}

function slotOf(slots: Float64Array, name: number): number {
  const count = slots.length / SLOT;
  let slot = name % count;
  while (slots[slot * SLOT] !== 0 && slots[slot * SLOT] !== name) slot = (slot + 1) % count;
  return slot * SLOT;
}
