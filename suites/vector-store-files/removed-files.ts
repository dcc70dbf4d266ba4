import { FileRemovals, REMOVING_OPERATIONS } from '../vector-stores/file-history.ts';
import { Deferred, follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../vocabulary/types.ts';

export interface RemovedFileLookup extends Evidence {
  readonly place: 'files' | 'another store';
  readonly after: Call;
}

const MAX_DEFERRED = 200;
const MAX_REMOVALS_PER_FILE = 20;

export const removedFileLookups: Selector<RemovedFileLookup> = follow(
  [
    'deleteVectorStoreFile',
    'createFile',
    'retrieveFile',
    'retrieveFileContent',
    'createVectorStoreFile',
    'retrieveVectorStoreFile',
    ...REMOVING_OPERATIONS.filter((id) => id !== 'deleteVectorStoreFile'),
  ],
  () => new RemovedFileCollector(),
  'a call for a file that was shown before and removed from a store in between',
);

class RemovedFileCollector implements Collector<RemovedFileLookup> {
  /** The first call that showed the file since its creation, by `file`, `file content` or `store/file`. */
  readonly #firstShown = new LruMap<Call>();
  readonly #storeRemovals = new LruMap<Call[]>();
  readonly #removals = new FileRemovals();
  readonly #deferred = new Deferred<RemovedFileLookup>(MAX_DEFERRED);

  call(call: Call): readonly RemovedFileLookup[] {
    const { operation, path, responseJson: answer } = call;
    const { vector_store_id: store, file_id } = path;
    const file = file_id ?? textAt(call.requestJson, 'file_id') ?? textAt(answer, 'id') ?? '';
    if (operation.id === 'deleteVectorStoreFile') {
      if (valueAtPath(answer, 'deleted') === true) {
        const known = this.#storeRemovals.get(file) ?? [];
        this.#storeRemovals.set(file, [...known.slice(1 - MAX_REMOVALS_PER_FILE), call]);
      }
    } else if (operation.id !== 'deleteVectorStore' && operation.method !== 'POST') {
      this.#noteLookup(store, file, call);
    }
    this.#removals.note(call);
    const isShown = answer !== undefined || (isContentCall(call) && call.responseClass === 'accepted');
    if (!isShown || operation.method === 'DELETE') return [];
    const key = keyOf(store, file, call);
    // Only a creation makes an earlier response about the file irrelevant.
    if (operation.method === 'POST' || this.#firstShown.get(key) === undefined)
      this.#firstShown.set(key, call);
    return [];
  }

  finish(): readonly RemovedFileLookup[] {
    return this.#deferred.finish();
  }

  #noteLookup(store: string | undefined, file: string, after: Call): void {
    const since = this.#firstShown.get(keyOf(store, file, after))?.exchange;
    if (since === undefined) return;
    const removal = this.#storeRemovals
      .get(file)
      ?.findLast(
        ({ path, exchange }) =>
          path['vector_store_id'] !== store &&
          precedes(since, exchange) &&
          precedes(exchange, after.exchange),
      );
    if (removal === undefined) return;
    const lookup: RemovedFileLookup = {
      place: store === undefined ? 'files' : 'another store',
      after,
      exchanges: [since, removal.exchange, after.exchange],
    };
    this.#deferred.add(() => {
      const mayBeGone =
        store === undefined
          ? this.#removals.mayBeDeleted(file, since, after.exchange)
          : this.#removals.mayHaveLeft(store, file, since, after.exchange);
      return mayBeGone ? null : lookup;
    });
  }
}

function keyOf(store: string | undefined, file: string, call: Call): string {
  if (isContentCall(call)) return `${file} content`;
  return store === undefined ? file : `${store}/${file}`;
}

function isContentCall({ operation }: Call): boolean {
  return operation.id === 'retrieveFileContent';
}
