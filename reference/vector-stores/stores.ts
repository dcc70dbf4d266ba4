// Vector stores and their files (1 Vector stores, 1 Vector store files). Files and clock decide the status of a store.
import { checkFiles, filesOf } from '../files/file-store.ts';
import { ApiError, requireObject } from '../http/api-error.ts';
import { isJsonObject, type JsonObject, type Metadata } from '../http/json.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';
import { StateProgress } from '../state/transitions.ts';

const DAY_SECONDS = 86_400;
const EXTENSIONS_WITHOUT_TEXT = /\.(png|jpe?g|gif|webp|bmp|mp3|mp4|wav|ogg|webm|zip|gz|exe|bin)$/i;

export interface StoreFields {
  readonly name?: string | null;
  readonly file_ids?: readonly string[];
  readonly expires_after?: Expiry;
  readonly metadata?: Metadata;
}

/** `duration` is in seconds; `anchor` and `days` are the customary form. */
interface Expiry {
  readonly duration: number;
  readonly anchor?: string;
  readonly days?: number;
}

export interface Store {
  readonly id: string;
  readonly created_at: number;
  name: string | null;
  metadata: Metadata;
  /** Null for a store that never expires. */
  expires_after: Expiry | null;
  /** Unix seconds of the last use, from which the expiry usually counts. */
  last_active_at: number;
  readonly files: Collection<StoreFile>;
  /** File batches of this store; their ids are unknown in other stores. */
  readonly batches: Collection<FileBatch>;
}

/** A file in a vector store; it has the id of the uploaded file. */
export interface StoreFile {
  readonly id: string;
  readonly created_at: number;
  readonly vector_store_id: string;
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  /** 0 until the file is completed. */
  usage_bytes: number;
  last_error: { readonly code: string; readonly message: string } | null;
  /** Whether its next state is `cancelled`, because its batch was cancelled. */
  isCancelling: boolean;
  readonly progress: StateProgress;
}

export interface FileBatch {
  readonly id: string;
  readonly created_at: number;
  readonly vector_store_id: string;
  status: 'in_progress' | 'completed' | 'cancelling' | 'cancelled' | 'failed';
  readonly files: Collection<StoreFile>;
  /** Number of repetitions in the request, except of files left out, if the service counts them; otherwise 0. */
  readonly repeats: number;
  progress: StateProgress;
}

export const storesOf: (service: Service) => Collection<Store> = perService(() => new Collection<Store>());

export function needStore(service: Service, id = ''): Store {
  return requireObject(storesOf(service).get(id), 'vector store', id);
}

/** @throws ApiError 404 for an unknown store; 400 for an expired one, if the service refuses files for it. */
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

/** `at` precedes `file_ids` in errors. @throws ApiError 400 for an expiry below a second, or a refused unknown file. */
export function createStore(service: Service, fields: StoreFields, at = ''): Store {
  if (service.takes('vector-stores.create.unknown-file') === 'refused')
    checkFiles(service, fields.file_ids ?? [], `${at}file_ids`);
  const now = service.now();
  const store: Store = {
    id: service.id('vs_'),
    created_at: now,
    name: fields.name ?? null,
    metadata: fields.metadata ?? {},
    expires_after:
      fields.expires_after === undefined ? defaultExpiry(service) : checkExpiry(fields.expires_after),
    last_active_at: now,
    files: new Collection(),
    batches: new Collection(),
  };
  for (const id of fields.file_ids ?? []) addFile(service, store, id);
  return storesOf(service).add(store);
}

function defaultExpiry(service: Service): Expiry | null {
  return service.takes('vector-stores.policy.unset') === 'a policy' ? { duration: 30 * DAY_SECONDS } : null;
}

export function changeStore(store: Store, { name, expires_after, metadata }: StoreFields): void {
  if (expires_after !== undefined) store.expires_after = checkExpiry(expires_after);
  if (name !== undefined) store.name = name;
  if (metadata !== undefined) store.metadata = metadata;
}

/** Records a use of a store, from which its expiry usually counts; an expired store stays expired. */
export function touchStore(service: Service, id: string): void {
  const store = storesOf(service).get(id);
  if (store !== undefined && !hasExpired(service, store)) store.last_active_at = service.now();
}

function hasExpired(service: Service, store: Store): boolean {
  const expiresAt = expiryTime(service, store);
  return expiresAt !== null && service.now() >= expiresAt;
}

/** Returns the response for a store at this moment (1 Vector store). */
export function showStore(service: Service, store: Store) {
  const { id, created_at, name, last_active_at, expires_after, metadata } = store;
  const files = store.files.values();
  const file_counts = countFiles(files);
  // Failed files do not make a store fail.
  const liveStatus = file_counts.in_progress > 0 ? 'in_progress' : 'completed';
  return {
    id,
    object: 'vector_store',
    created_at,
    name: name ?? defaultName(service),
    usage_bytes: files.reduce((sum, file) => sum + file.usage_bytes, 0),
    file_counts,
    status: hasExpired(service, store) ? 'expired' : liveStatus,
    expires_after,
    expires_at: expiryTime(service, store),
    last_active_at,
    metadata,
  };
}

function defaultName(service: Service): string | null | undefined {
  const alternative = service.takes('vector-stores.name.unset');
  if (alternative === 'empty') return '';
  return alternative === 'null' ? null : undefined;
}

function expiryTime(service: Service, { expires_after, last_active_at, created_at }: Store): number | null {
  if (expires_after === null) return null;
  const from = service.takes('vector-stores.policy.counts-from') === 'creation' ? created_at : last_active_at;
  return from + expires_after.duration;
}

/** Adds `duration`, in seconds, to an expiry in the customary form `{anchor, days}`. */
export function convertExpiry(body: JsonObject): JsonObject {
  const { expires_after: expiry } = body;
  if (!isJsonObject(expiry) || 'duration' in expiry || !Number.isInteger(expiry['days'])) return body;
  return { ...body, expires_after: { ...expiry, duration: Number(expiry['days']) * DAY_SECONDS } };
}

function checkExpiry(expiry: Expiry): Expiry {
  if (expiry.duration >= 1) return expiry;
  const param = 'expires_after.duration';
  throw ApiError.invalid(param, `'${param}' must be at least 1 second, but is ${expiry.duration}.`);
}

/** Returns a file that is already there unchanged. */
export function addFile(service: Service, store: Store, id: string): StoreFile {
  const present = store.files.get(id);
  if (present !== undefined) return present;
  touchStore(service, store.id);
  return store.files.add({
    id,
    created_at: service.now(),
    vector_store_id: store.id,
    status: 'in_progress',
    usage_bytes: 0,
    last_error: null,
    isCancelling: false,
    progress: new StateProgress(service),
  });
}

export function needFile(store: Store, id = ''): StoreFile {
  return requireObject(store.files.get(id), 'file in this vector store', id);
}

/** `read` counts as a retrieval; `look` only applies transitions that are due by the clock; `end` applies all. */
export type FileAdvance = 'read' | 'look' | 'end';

export function processFiles(service: Service, files: readonly StoreFile[], how: FileAdvance): void {
  for (const file of files) {
    if (file.status === 'in_progress' && stepsAfter(file.progress, how) > 0) endFile(service, file);
  }
}

export function stepsAfter(progress: StateProgress, how: FileAdvance): number {
  if (how === 'end') return Infinity;
  return how === 'read' ? progress.read() : progress.steps;
}

export function countFiles(files: readonly StoreFile[]) {
  const counts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: files.length };
  for (const { status } of files) counts[status] += 1;
  return counts;
}

export function showStoreFile({ isCancelling: _, progress: __, ...file }: StoreFile) {
  return { ...file, object: 'vector_store.file' };
}

function endFile(service: Service, file: StoreFile): void {
  // The file may be deleted, or unknown if the service accepts unknown files.
  const source = filesOf(service).all.get(file.id);
  if (file.isCancelling) file.status = 'cancelled';
  else if (source === undefined)
    failFile(file, 'invalid_file', 'The file was deleted before it was processed, or never existed.');
  else if (source.bytes === 0) failFile(file, 'invalid_file', 'The file is empty.');
  else if (EXTENSIONS_WITHOUT_TEXT.test(source.filename))
    failFile(file, 'unsupported_file', 'The file contains no text to search.');
  else {
    file.status = 'completed';
    // An index may differ in size from its file.
    const hasFileSize = service.takes('vector-store-files.usage.size') === 'as many';
    file.usage_bytes = hasFileSize ? source.bytes : source.bytes * 2 + 64;
  }
}

function failFile(file: StoreFile, code: string, message: string): void {
  file.status = 'failed';
  file.last_error = { code, message };
}
