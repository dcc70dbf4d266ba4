import { checkFiles } from '../files/file-reference.ts';
import type { Metadata } from '../runs/objects.ts';
import { ApiError } from '../server/api-error.ts';
import { isJsonObject, type JsonObject } from '../server/json.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';
import { addFile, countFiles } from './file.ts';
import type { Expiry, Store } from './objects.ts';

/** Body of a request to create or modify a store, validated. */
export interface StoreFields {
  readonly name?: string | null;
  readonly file_ids?: readonly string[];
  readonly expires_after?: Expiry;
  readonly metadata?: Metadata;
}

/** Seconds. */
const DAY = 86_400;

/** The vector stores of a service. */
export const storesOf: (service: Service) => Collection<Store> = perService(() => new Collection<Store>());

/** @throws ApiError 404 when the store does not exist. */
export function needStore(service: Service, id: string | undefined): Store {
  const store = storesOf(service).get(id ?? '');
  if (store === undefined) throw ApiError.missing('vector store', id ?? '');
  return store;
}

/** @throws ApiError 404 as above; 400 when the store has expired. */
export function needLiveStore(service: Service, id: string | undefined): Store {
  const store = needStore(service, id);
  if (hasExpired(service, store) && service.takes('vector-stores.expired.takes-files') === 'refused') {
    throw ApiError.invalid(
      'vector_store_id',
      `The vector store '${store.id}' has expired; create another one.`,
    );
  }
  return store;
}

/** Creates a store with its files. @throws ApiError 400 for a file that does not exist, or an expiry below one second. */
export function createStore(service: Service, fields: StoreFields): Store {
  if (service.takes('vector-stores.create.unknown-file') === 'refused')
    checkFiles(service, fields.file_ids ?? [], 'file_ids');
  const now = service.now();
  const store: Store = {
    id: service.id('vs_'),
    created_at: now,
    name: fields.name ?? null,
    metadata: fields.metadata ?? {},
    expires_after:
      fields.expires_after === undefined ? policyByDefault(service) : takeExpiry(fields.expires_after),
    last_active_at: now,
    files: new Collection(),
    batches: new Collection(),
  };
  for (const id of fields.file_ids ?? []) addFile(service, store, id);
  return storesOf(service).add(store);
}

/** The policy of a store whose request has none. */
function policyByDefault(service: Service): Expiry | null {
  return service.takes('vector-stores.policy.unset') === 'a policy' ? { duration: 30 * DAY } : null;
}

/** Assigns the given fields to a store; an omitted field stays. */
export function changeStore(store: Store, { name, expires_after, metadata }: StoreFields): void {
  if (expires_after !== undefined) store.expires_after = takeExpiry(expires_after);
  if (name !== undefined) store.name = name;
  if (metadata !== undefined) store.metadata = metadata;
}

/** Records a use of a store, which extends its expiry; an expired store stays expired. */
export function touchStore(service: Service, id: string): void {
  const store = storesOf(service).get(id);
  if (store !== undefined && !hasExpired(service, store)) store.last_active_at = service.now();
}

/** True when the time since the last use exceeds `expires_after`. */
function hasExpired(service: Service, store: Store): boolean {
  const at = expiresAt(service, store);
  return at !== null && service.now() >= at;
}

/** A vector store as its response shows it at this moment (1 Vector store object). */
export function showStore(service: Service, store: Store) {
  const { id, created_at, name, last_active_at, expires_after, metadata } = store;
  const files = store.files.values();
  const file_counts = countFiles(files);
  // Failed files do not make a store fail: it is complete once none is in progress.
  const working = file_counts.in_progress > 0 ? 'in_progress' : 'completed';
  return {
    id,
    object: 'vector_store',
    created_at,
    // The response has a text where none was given (1 Vector store object).
    name: name ?? nameByDefault(service),
    usage_bytes: files.reduce((sum, file) => sum + file.usage_bytes, 0),
    file_counts,
    status: hasExpired(service, store) ? 'expired' : working,
    expires_after,
    expires_at: expiresAt(service, store),
    last_active_at,
    metadata,
  };
}

/** How the name of a store without one is shown; undefined shows none. */
function nameByDefault(service: Service): string | null | undefined {
  const taken = service.takes('vector-stores.name.unset');
  if (taken === 'empty') return '';
  return taken === 'null' ? null : undefined;
}

/** Unix seconds, or null without expiry. */
function expiresAt(service: Service, { expires_after, last_active_at, created_at }: Store): number | null {
  if (expires_after === null) return null;
  const from = service.takes('vector-stores.policy.counts-from') === 'creation' ? created_at : last_active_at;
  return from + expires_after.duration;
}

/** Adds the specification's `duration` (seconds) to the customary `{anchor, days}`. */
export function prepareExpiry(body: JsonObject): JsonObject {
  const { expires_after: expiry } = body;
  if (!isJsonObject(expiry) || 'duration' in expiry || !Number.isInteger(expiry['days'])) return body;
  return { ...body, expires_after: { ...expiry, duration: Number(expiry['days']) * DAY } };
}

/** @throws ApiError 400 for a duration that would expire the store at once. */
function takeExpiry(expiry: Expiry): Expiry {
  if (expiry.duration >= 1) return expiry;
  const param = 'expires_after.duration';
  throw ApiError.invalid(param, `'${param}' must be at least 1 second, but is ${expiry.duration}.`);
}
