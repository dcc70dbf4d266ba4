import { isWholeList } from '../generate/lists.ts';
import { FileRemovals, REMOVING_OPERATIONS } from '../vector-stores/file-history.ts';
import { storeOf } from '../vector-stores/pages.ts';
import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../vocabulary/types.ts';

const CREATE = 'createVectorStoreFileBatch';
const LIST = 'listVectorStoreFileBatchFiles';

/** A file that the store had before a batch added it: since an earlier second, unless the batch was refused. */
export interface KnownFileInBatch extends Evidence {
  /** The list of the files of the batch, or the refused creation. */
  readonly call: Call;
  readonly outcome: 'keeps its time' | 'gets another time' | 'left out' | 'refused';
}

interface AddedFile {
  readonly id: string;
  readonly call: Call;
  /** The creation time in Unix seconds. */
  readonly created: number;
}

/** A file that may have left the store no longer counts. */
export const knownFilesInBatches: Selector<KnownFileInBatch> = follow(
  ['createVectorStoreFile', ...REMOVING_OPERATIONS, CREATE, LIST],
  () => new KnownFileCollector(),
  'the files of a batch, one of which the store had in an earlier second',
);

class KnownFileCollector implements Collector<KnownFileInBatch> {
  readonly #addedFiles = new LruMap<AddedFile>();
  readonly #knownByBatch = new LruMap<readonly AddedFile[]>();
  readonly #removals = new FileRemovals();

  call(call: Call): readonly KnownFileInBatch[] {
    const { id } = call.operation;
    this.#removals.note(call);
    if (id === 'createVectorStoreFile') this.#noteAddition(call);
    else if (id === CREATE) return this.#readCreation(call);
    else if (id === LIST) return this.#readList(call);
    return [];
  }

  #noteAddition(call: Call): void {
    const [id, created] = [textAt(call.responseJson, 'id'), numberAt(call.responseJson, 'created_at')];
    const key = `${storeOf(call)}/${id}`;
    if (id !== undefined && created !== undefined) this.#addedFiles.set(key, { id, call, created });
  }

  #readCreation(call: Call): readonly KnownFileInBatch[] {
    const { responseClass, responseJson: answer, exchange } = call;
    const store = storeOf(call);
    const known = [...new Set(arrayAt(call.requestJson, 'file_ids'))]
      .flatMap((id) => this.#addedFiles.get(`${store}/${id}`) ?? [])
      .filter((file) => precedes(file.call.exchange, exchange) && this.#isStillIn(store, file, call));
    if (responseClass === 'rejected' || responseClass === 'absent') {
      const isInvalid = exchange.probe?.side === 'violation';
      return isInvalid ? [] : known.slice(0, 1).map((file) => makeEvidence(file, call, 'refused'));
    }
    const [id, batchCreated] = [textAt(answer, 'id'), numberAt(answer, 'created_at') ?? 0];
    if (id !== undefined) {
      const older = known.filter(({ created }) => created < batchCreated);
      this.#knownByBatch.set(`${store}/${id}`, older);
    }
    return [];
  }

  #readList(call: Call): readonly KnownFileInBatch[] {
    const store = storeOf(call);
    if (call.responseJson === undefined || !isWholeList(call)) return [];
    return (this.#knownByBatch.get(`${store}/${call.path['batch_id']}`) ?? [])
      .filter((file) => this.#isStillIn(store, file, call))
      .map((file) => makeEvidence(file, call, outcomeIn(file, arrayAt(call.responseJson, 'data'))));
  }

  #isStillIn(store: string, file: AddedFile, call: Call): boolean {
    return !this.#removals.mayHaveLeft(store, file.id, file.call.exchange, call.exchange);
  }
}

function outcomeIn({ id, created }: AddedFile, listed: readonly Json[]): KnownFileInBatch['outcome'] {
  const shown = listed.find((element) => textAt(element, 'id') === id);
  if (shown === undefined) return 'left out';
  return numberAt(shown, 'created_at') === created ? 'keeps its time' : 'gets another time';
}

function makeEvidence(file: AddedFile, call: Call, outcome: KnownFileInBatch['outcome']): KnownFileInBatch {
  return { call, outcome, exchanges: [file.call.exchange, call.exchange] };
}
