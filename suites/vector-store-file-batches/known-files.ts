import { isWholeList } from '../generate/lists.ts';
import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';

const CREATE = 'createVectorStoreFileBatch';
const LIST = 'listVectorStoreFileBatchFiles';

/** The outcome for a file that was in the store before a batch added it again: in a later second, unless it was refused. */
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

/** A file that is removed from any store, or deleted, no longer counts. */
export const knownFilesInBatches: Selector<KnownFileInBatch> = follow(
  ['createVectorStoreFile', 'deleteVectorStoreFile', 'deleteFile', CREATE, LIST],
  () => {
    const addedFiles = new LruMap<AddedFile>();
    const knownByBatch = new LruMap<readonly AddedFile[]>();
    const removed = new LruMap<true>();
    return (call) => {
      const { operation, path, requestJson, responseJson: answer, responseClass } = call;
      const store = path['vector_store_id'];
      if (operation.method === 'DELETE') removed.set(path['file_id'] ?? '', true);
      if (operation.id === 'createVectorStoreFile') {
        const [id, created] = [textAt(answer, 'id'), numberAt(answer, 'created_at')];
        const key = `${store}/${id}`;
        if (id !== undefined && created !== undefined && addedFiles.get(key) === undefined)
          addedFiles.set(key, { id, call, created });
      }
      if (operation.id === CREATE) {
        const known = arrayAt(requestJson, 'file_ids').flatMap(
          (id) => addedFiles.get(`${store}/${id}`) ?? [],
        );
        const earlier = known.filter((file) => precedes(file.call.exchange, call.exchange));
        if (responseClass === 'rejected' || responseClass === 'absent')
          return earlier.slice(0, 1).map((file) => makeEvidence(file, call, 'refused'));
        const [id, batchCreated] = [textAt(answer, 'id'), numberAt(answer, 'created_at') ?? 0];
        if (id !== undefined)
          knownByBatch.set(
            `${store}/${id}`,
            earlier.filter(({ created }) => created < batchCreated),
          );
      }
      if (operation.id !== LIST || answer === undefined || !isWholeList(call)) return [];
      return (knownByBatch.get(`${store}/${path['batch_id']}`) ?? [])
        .filter(({ id }) => removed.get(id) === undefined)
        .map((file) => makeEvidence(file, call, outcomeIn(file, arrayAt(answer, 'data'))));
    };
  },
  'the files of a batch, one of which the store had in an earlier second',
);

function outcomeIn({ id, created }: AddedFile, listed: readonly Json[]): KnownFileInBatch['outcome'] {
  const shown = listed.find((element) => textAt(element, 'id') === id);
  if (shown === undefined) return 'left out';
  return numberAt(shown, 'created_at') === created ? 'keeps its time' : 'gets another time';
}

function makeEvidence(file: AddedFile, call: Call, outcome: KnownFileInBatch['outcome']): KnownFileInBatch {
  return { call, outcome, exchanges: [file.call.exchange, call.exchange] };
}
