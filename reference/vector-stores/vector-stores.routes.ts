// Vector stores, their files and file batches (1 Vector stores, 1 Vector store files, 1 File batches). The states of the files and
// the clock decide the status of a store, and retrieving a store also advances its files.
import { checkFile, checkFiles, filesOf } from '../files/file-store.ts';
import { ApiError, existing } from '../http/api-error.ts';
import { isJsonObject, type JsonObject, type Metadata } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import { type Handler, type HandlerRequest, type Routes, type ServiceRoute, serves } from '../http/route.ts';
import { Collection } from '../state/collection.ts';
import { perService, pollAfter, type Service, StateProgress } from '../state/service.ts';

export const routes: Routes = (service) => [
  ...storeRoutes(service),
  ...fileRoutes(service),
  ...batchRoutes(service),
];

const storeRoutes: Routes = (service) => {
  const stores = storesOf(service);
  const need = ({ path }: HandlerRequest<unknown>): Store => needStore(service, path['vector_store_id']);
  /** Shows a store with the current status of its files, because time may have passed since the last request. */
  const show = (store: Store) => {
    processFiles(service, store.files.values(), 'look');
    return showStore(service, store);
  };
  return [
    {
      ...serves<StoreFields>('createVectorStore', ({ body }) => show(createStore(service, body))),
      prepare: prepareExpiry,
    },
    // Lists do not advance files.
    serves('listVectorStores', ({ query }) => listEnvelope(listPage(stores, query), show)),
    // Advances the files before the counts are taken.
    serves('retrieveVectorStore', (request) => {
      const store = need(request);
      processFiles(service, store.files.values(), 'read');
      return new JsonResponse(showStore(service, store), pollAfter(service));
    }),
    {
      ...serves<StoreFields>('modifyVectorStore', (request) => {
        const store = need(request);
        // An expired store can be modified: a longer expiry makes it usable again.
        changeStore(store, request.body);
        return show(store);
      }),
      prepare: prepareExpiry,
    },
    // The files themselves are not deleted.
    serves('deleteVectorStore', (request) => {
      const { id } = need(request);
      stores.delete(id);
      return { id, object: 'vector_store.deleted', deleted: true };
    }),
  ];
};

// Retrieving a file advances it; listing only applies what is due by the clock.

const fileRoutes: Routes = (service) => [
  // An expired store accepts no files; a file that is in the store already is returned as it is.
  serves<{ readonly file_id: string }>('createVectorStoreFile', ({ path, body }) => {
    const store = needLiveStore(service, path['vector_store_id']);
    if (service.takes('vector-store-files.create.unknown-file') === 'refused')
      checkFile(service, body.file_id, 'file_id');
    if (
      service.takes('vector-store-files.create.again') === 'refused' &&
      store.files.get(body.file_id) !== undefined
    )
      throw ApiError.invalid('file_id', 'The vector store has this file already.');
    const file = addFile(service, store, body.file_id);
    if (service.takes('vector-store-files.states.first') === 'completed')
      processFiles(service, [file], 'read');
    return showStoreFile(file);
  }),
  // `filter` selects by state, after the transitions that are due by the clock.
  serves('listVectorStoreFiles', ({ path, query }) => {
    const { files } = needStore(service, path['vector_store_id']);
    processFiles(service, files.values(), 'look');
    const wanted = query['filter'];
    return listEnvelope(
      listPage(files, query, ({ status }) => wanted === undefined || status === wanted),
      showStoreFile,
    );
  }),
  serves('retrieveVectorStoreFile', ({ path }) => {
    const file = needFile(needStore(service, path['vector_store_id']), path['file_id']);
    processFiles(service, [file], 'read');
    return new JsonResponse(showStoreFile(file), pollAfter(service));
  }),
  // Removes the file from the store; the file itself stays.
  serves('deleteVectorStoreFile', ({ path }) => {
    const store = needStore(service, path['vector_store_id']);
    const { id } = needFile(store, path['file_id']);
    store.files.delete(id);
    return { id, object: 'vector_store.file.deleted', deleted: true };
  }),
];

// Retrieving a file batch advances its files first, then the batch.

const batchRoutes: Routes = (service) => {
  const need = ({ path }: HandlerRequest<unknown>): { store: Store; batch: FileBatch } => {
    const store = needStore(service, path['vector_store_id']);
    const id = path['batch_id'] ?? '';
    return { store, batch: existing(store.batches.get(id), 'file batch in this vector store', id) };
  };
  return [
    ...bothWays<{ readonly file_ids: readonly string[] }>(
      service,
      'createVectorStoreFileBatch',
      ({ path, body }) => {
        const store = needLiveStore(service, path['vector_store_id']);
        return showFileBatch(createFileBatch(service, store, body.file_ids));
      },
    ),
    ...bothWays(service, 'retrieveVectorStoreFileBatch', (request) => {
      const { batch } = need(request);
      processFileBatch(service, batch, 'read');
      return new JsonResponse(showFileBatch(batch), pollAfter(service));
    }),
    ...bothWays(service, 'cancelVectorStoreFileBatch', (request) => {
      const { batch } = need(request);
      cancelFileBatch(service, batch);
      return showFileBatch(batch);
    }),
    ...bothWays(service, 'listVectorStoreFileBatchFiles', (request) => {
      const { store, batch } = need(request);
      processFileBatch(service, batch, 'look');
      const wanted = request.query['filter'];
      // A file that was removed from the store, or added again, is no longer in the batch.
      const found = listPage(
        batch.files,
        request.query,
        (file) => store.files.get(file.id) === file && (wanted === undefined || file.status === wanted),
      );
      return listEnvelope(found, showStoreFile);
    }),
  ];
};

/** Serves a route under both spellings of its path, `file_batches` and `files_batches`, because clients use either. */
function bothWays<Body = JsonObject>(
  service: Service,
  operation: string,
  handle: Handler<Body>,
): readonly ServiceRoute[] {
  const route = serves(operation, handle);
  if (service.takes('vector-store-file-batches.path.other-spelling') !== 'both are served') return [route];
  const other = route.path.includes('/files_batches')
    ? route.path.replace('/files_batches', '/file_batches')
    : route.path.replace('/file_batches', '/files_batches');
  return [route, { ...route, path: other }];
}

interface StoreFields {
  readonly name?: string | null;
  readonly file_ids?: readonly string[];
  readonly expires_after?: Expiry;
  readonly metadata?: Metadata;
}

/** A day in seconds. */
const DAY = 86_400;

export const storesOf: (service: Service) => Collection<Store> = perService(() => new Collection<Store>());

function needStore(service: Service, id = ''): Store {
  return existing(storesOf(service).get(id), 'vector store', id);
}

/** @throws ApiError 404 for an unknown store; 400 if the store has expired and the service rejects that. */
function needLiveStore(service: Service, id: string | undefined): Store {
  const store = needStore(service, id);
  if (hasExpired(service, store) && service.takes('vector-stores.expired.takes-files') === 'refused') {
    throw ApiError.invalid(
      'vector_store_id',
      `The vector store '${store.id}' has expired; create another one.`,
    );
  }
  return store;
}

/**
 * Creates a store with its files. @throws ApiError 400 for an expiry below one second, or for a file that does not
 * exist, if the service rejects that.
 */
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

function policyByDefault(service: Service): Expiry | null {
  return service.takes('vector-stores.policy.unset') === 'a policy' ? { duration: 30 * DAY } : null;
}

/** Assigns the given fields to a store; an omitted field keeps its value. */
function changeStore(store: Store, { name, expires_after, metadata }: StoreFields): void {
  if (expires_after !== undefined) store.expires_after = takeExpiry(expires_after);
  if (name !== undefined) store.name = name;
  if (metadata !== undefined) store.metadata = metadata;
}

/** Records a use of a store, which extends its expiry; an expired store stays expired. */
export function touchStore(service: Service, id: string): void {
  const store = storesOf(service).get(id);
  if (store !== undefined && !hasExpired(service, store)) store.last_active_at = service.now();
}

/** True once the time of `expires_after` has passed since the last use. */
function hasExpired(service: Service, store: Store): boolean {
  const at = expiresAt(service, store);
  return at !== null && service.now() >= at;
}

/** A vector store as its response shows it at this moment (1 Vector store object). */
function showStore(service: Service, store: Store) {
  const { id, created_at, name, last_active_at, expires_after, metadata } = store;
  const files = store.files.values();
  const file_counts = countFiles(files);
  // Failed files do not make a store fail.
  const working = file_counts.in_progress > 0 ? 'in_progress' : 'completed';
  return {
    id,
    object: 'vector_store',
    created_at,
    // The response requires a text.
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

/** Converts the customary `{anchor, days}` to `duration` in seconds. */
function prepareExpiry(body: JsonObject): JsonObject {
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

/** Seconds after the last use; `anchor` and `days` are the customary form. */
interface Expiry {
  readonly duration: number;
  readonly anchor?: string;
  readonly days?: number;
}

/** A vector store. Its status and counts are computed from its files and the clock. */
interface Store {
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

/** A file in a vector store; it has the id of the file. */
interface StoreFile {
  readonly id: string;
  readonly created_at: number;
  readonly vector_store_id: string;
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  /** 0 until the file is completed. */
  usage_bytes: number;
  /** Set when the file has failed. */
  last_error: { readonly code: string; readonly message: string } | null;
  /** True once its batch was cancelled: the next state is `cancelled`. */
  doomed: boolean;
  readonly progress: StateProgress;
}

interface FileBatch {
  readonly id: string;
  readonly created_at: number;
  readonly vector_store_id: string;
  status: 'in_progress' | 'completed' | 'cancelling' | 'cancelled' | 'failed';
  readonly files: Collection<StoreFile>;
  /** How many repeated files of the request are counted again. */
  readonly repeats: number;
  progress: StateProgress;
}

/** Extensions of files without text. */
const UNREADABLE = /\.(png|jpe?g|gif|webp|bmp|mp3|mp4|wav|ogg|webm|zip|gz|exe|bin)$/i;

/** Adds an existing file to a store. A file that is already there is returned unchanged. */
export function addFile(service: Service, store: Store, id: string): StoreFile {
  const known = store.files.get(id);
  if (known !== undefined) return known;
  store.last_active_at = service.now();
  return store.files.add({
    id,
    created_at: service.now(),
    vector_store_id: store.id,
    status: 'in_progress',
    usage_bytes: 0,
    last_error: null,
    doomed: false,
    progress: new StateProgress(service),
  });
}

function needFile(store: Store, id = ''): StoreFile {
  return existing(store.files.get(id), 'file in this vector store', id);
}

/** Advances files: `read` counts as a retrieval, `look` only applies what is due by the clock. */
function processFiles(service: Service, files: readonly StoreFile[], how: 'read' | 'look'): void {
  for (const file of files) {
    if (file.status !== 'in_progress') continue;
    const steps = how === 'read' ? file.progress.read() : file.progress.steps;
    if (steps > 0) end(service, file);
  }
}

function countFiles(files: readonly StoreFile[]) {
  const counts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: files.length };
  for (const { status } of files) counts[status] += 1;
  return counts;
}

function showStoreFile({ doomed: _, progress: __, ...file }: StoreFile) {
  return { ...file, object: 'vector_store.file' };
}

/** Ends a file in progress as completed, cancelled or failed. */
function end(service: Service, file: StoreFile): void {
  // The file may have been deleted since it was added.
  const source = filesOf(service).get(file.id);
  if (file.doomed) file.status = 'cancelled';
  else if (source === undefined) fail(file, 'invalid_file', 'The file was deleted before it was processed.');
  else if (source.bytes === 0) fail(file, 'invalid_file', 'The file is empty.');
  else if (UNREADABLE.test(source.filename))
    fail(file, 'unsupported_file', 'The file holds no text to search.');
  else {
    file.status = 'completed';
    // An index may differ in size from its file.
    const isAlike = service.takes('vector-store-files.usage.size') === 'as many';
    file.usage_bytes = isAlike ? source.bytes : source.bytes * 2 + 64;
  }
}

function fail(file: StoreFile, code: string, message: string): void {
  file.status = 'failed';
  file.last_error = { code, message };
}

/**
 * Adds files to a store as a batch. @throws ApiError 400 for a file that is unknown, repeated or in the store, if the
 * service rejects that; then nothing is added.
 */
function createFileBatch(service: Service, store: Store, ids: readonly string[]): FileBatch {
  if (service.takes('vector-store-file-batches.create.unknown-file') === 'refused')
    checkFiles(service, ids, 'file_ids');
  const twice = ids.length - new Set(ids).size;
  const repeats = service.takes('vector-store-file-batches.create.same-file-twice');
  if (twice > 0 && repeats === 'refused')
    throw ApiError.invalid('file_ids', "'file_ids' names a file twice.");
  const again = service.takes('vector-store-file-batches.files.in-store-before');
  if (again === 'refused' && ids.some((id) => store.files.get(id) !== undefined))
    throw ApiError.invalid('file_ids', 'The vector store has one of the files already.');
  const files = new Collection<StoreFile>();
  // Shared with the store, so that both show one state.
  for (const id of new Set(ids)) {
    const isKnown = store.files.get(id) !== undefined;
    if (isKnown && again === 'left out') continue;
    if (isKnown && again === 'gets another time') store.files.delete(id);
    files.add(addFile(service, store, id));
  }
  return store.batches.add({
    id: service.id('vsfb_'),
    created_at: service.now(),
    vector_store_id: store.id,
    status: 'in_progress',
    repeats: repeats === 'twice' ? twice : 0,
    files,
    progress: new StateProgress(service),
  });
}

/** Advances the files as `processFiles` does; the batch ends after them. */
function processFileBatch(service: Service, batch: FileBatch, how: 'read' | 'look'): void {
  const files = batch.files.values();
  if (batch.status !== 'in_progress' && batch.status !== 'cancelling') return;
  processFiles(service, files, how);
  const steps = how === 'read' ? batch.progress.read() : batch.progress.steps;
  const counts = countFiles(files);
  // A batch ends at least one read after its files, so that clients can see it in progress.
  if (steps === 0 || counts.in_progress > 0) return;
  if (batch.status === 'cancelling') batch.status = endOfCancelling(service);
  else batch.status = counts.total > 0 && counts.failed === counts.total ? 'failed' : 'completed';
}

/**
 * Requests the cancellation of a batch: files in progress end as cancelled, the others keep their state. @throws
 * ApiError if the batch has ended and the service rejects that.
 */
function cancelFileBatch(service: Service, batch: FileBatch): void {
  processFileBatch(service, batch, 'look');
  const isLate = service.takes('vector-store-file-batches.cancel.in-time') === 'too late';
  if (isLate) while (batch.status === 'in_progress') processFileBatch(service, batch, 'read');
  if (batch.status === 'cancelling') return;
  if (batch.status !== 'in_progress') {
    if (service.takes('vector-store-file-batches.cancel.too-late') === 'accepted') return;
    throw ApiError.uncancellable(`The file batch is ${batch.status} and can no longer be cancelled.`, isLate);
  }
  batch.status = 'cancelling';
  batch.progress = new StateProgress(service);
  const answered = service.takes('vector-store-file-batches.cancel.answer');
  if (answered !== 'completed') markCancelled(service, batch);
  if (answered === 'cancelling') return;
  processFiles(service, batch.files.values(), 'read');
  batch.status = answered === 'completed' ? 'completed' : 'cancelled';
}

/** Marks files in progress to end as cancelled, unless the service completes all or the first of them. */
function markCancelled(service: Service, batch: FileBatch): void {
  const ends = service.takes('vector-store-file-batches.files.of-cancelled');
  const working = batch.files.values().filter(({ status }) => status === 'in_progress');
  const doomed = ends === 'completed' ? [] : working.slice(ends === 'cancelled' ? 0 : 1);
  for (const file of doomed) file.doomed = true;
}

/** The state after `cancelling`, which the specification leaves open. */
function endOfCancelling(service: Service): FileBatch['status'] {
  const end = service.takes('vector-store-file-batches.states.from-cancelling');
  return end === 'completed' || end === 'failed' ? end : 'cancelled';
}

function showFileBatch({ id, created_at, vector_store_id, status, files, repeats }: FileBatch) {
  const file_counts = countFiles(files.values());
  file_counts.total += repeats;
  // A file that was named twice is counted twice.
  const [first] = files.values();
  if (first !== undefined) file_counts[first.status] += repeats;
  return { id, object: 'vector_store.file_batch', created_at, vector_store_id, status, file_counts };
}
