import { FileRemovals, REMOVING_OPERATIONS } from '../vector-stores/selectors/removals.ts';
import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Exchange, Selector } from '../vocabulary/types.ts';

/** A file was removed from a store; then somebody asked for it elsewhere, where it had been seen before. */
export interface RemovedFileLookup extends Evidence {
  /** The place of the look-up: the file itself, or another store that contains it. */
  readonly place: 'files' | 'another store';
  readonly file: string;
  /** The call that removed the file from its store. */
  readonly removal: Call;
  /** The later call that looks it up. */
  readonly after: Call;
}

/** A look-up that waits for the end of the trace, when the overlapping removals are known. */
interface Seen {
  readonly lookup: RemovedFileLookup;
  readonly store: string | undefined;
  readonly since: Exchange;
}

/** So many of them wait for the end of the trace, when it is known what else took a file away. */
const WAITING = 200;
/** So many removals of one file are kept in mind. */
const REMOVALS = 20;

/** Calls that ask for a file after it was removed from a store, and only from that store. */
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
  () => new SurvivalCollector(),
  'a call for a file that was shown before, and removed from a store',
);

/** Relates removals of files from a store to later look-ups elsewhere. */
class SurvivalCollector implements Collector<RemovedFileLookup> {
  /** The first call since its creation that showed the file, by `file`, `file content` or `store/file`. */
  readonly #there = new LruMap<Call>();
  readonly #removed = new LruMap<Call[]>();
  readonly #removals = new FileRemovals();
  readonly #waiting: Seen[] = [];

  call(call: Call): readonly RemovedFileLookup[] {
    const { operation, path, responseJson: answer } = call;
    const { vector_store_id: store, file_id } = path;
    const file = file_id ?? textAt(call.requestJson, 'file_id') ?? textAt(answer, 'id') ?? '';
    if (operation.id === 'deleteVectorStoreFile') {
      if (valueAtPath(answer, 'deleted') === true) {
        const known = this.#removed.get(file) ?? [];
        this.#removed.set(file, [...known.slice(1 - REMOVALS), call]);
      }
    } else if (operation.id !== 'deleteVectorStore' && operation.method !== 'POST') {
      this.#look(store, file, call);
    }
    this.#removals.note(call);
    const isShown = answer !== undefined || (isOfContent(call) && call.responseClass === 'accepted');
    if (!isShown || operation.method === 'DELETE') return [];
    const key = keyOf(store, file, call);
    // A file that is seen again existed all the time; a file that is created again is another one.
    if (operation.method === 'POST' || this.#there.get(key) === undefined) this.#there.set(key, call);
    return [];
  }

  finish(): readonly RemovedFileLookup[] {
    return this.#waiting.flatMap(({ lookup: survival, store, since }) => {
      const { file, after } = survival;
      const isGone =
        store === undefined
          ? this.#removals.deleted(file, since, after.exchange)
          : this.#removals.left(store, file, since, after.exchange);
      return isGone ? [] : [survival];
    });
  }

  /** Keeps a look-up of a file that was removed elsewhere before. */
  #look(store: string | undefined, file: string, after: Call): void {
    const since = this.#there.get(keyOf(store, file, after))?.exchange;
    if (since === undefined || this.#waiting.length >= WAITING) return;
    const removal = this.#removed
      .get(file)
      ?.findLast(
        (one) =>
          one.path['vector_store_id'] !== store &&
          precedes(since, one.exchange) &&
          precedes(one.exchange, after.exchange),
      );
    if (removal === undefined) return;
    const exchanges = [since, removal.exchange, after.exchange];
    const place = store === undefined ? 'files' : 'another store';
    this.#waiting.push({ lookup: { place, file, removal, after, exchanges }, store, since });
  }
}

/** Content that was never readable says nothing after the removal, so it is kept apart from the file. */
function keyOf(store: string | undefined, file: string, call: Call): string {
  if (isOfContent(call)) return `${file} content`;
  return store === undefined ? file : `${store}/${file}`;
}

/** Whether a call asks for the content of a file and not for the file. */
function isOfContent({ operation }: Call): boolean {
  return operation.id === 'retrieveFileContent';
}
