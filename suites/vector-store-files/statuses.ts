import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded, stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';

export interface FileStatusReport {
  readonly store: string;
  readonly file: string;
  readonly value: Json;
  /** JSON pointer to the file in the response. */
  readonly at: string;
}

const FILE_STATUS_OPERATIONS = [
  'createVectorStoreFile',
  'retrieveVectorStoreFile',
  'listVectorStoreFiles',
  'listVectorStoreFileBatchFiles',
] as const;

/** The files in stores that a response shows; a response to a deletion shows none. */
export function fileStatusesIn({
  operation,
  responseJson: answer,
  path,
  requestJson,
}: Call): readonly FileStatusReport[] {
  const store = path['vector_store_id'];
  if (answer === undefined || store === undefined) return [];
  switch (operation.id) {
    case 'createVectorStoreFile':
      return [{ store, file: textAt(requestJson, 'file_id') ?? '', value: answer, at: '' }];
    case 'retrieveVectorStoreFile':
      return [{ store, file: path['file_id'] ?? '', value: answer, at: '' }];
    case 'listVectorStoreFiles':
    case 'listVectorStoreFileBatchFiles':
      return arrayAt(answer, 'data').map((value, i) => ({
        store,
        file: textAt(value, 'id') ?? '',
        value,
        at: `/data/${i}`,
      }));
    default:
      return [];
  }
}

export const filesInStores: Selector<Evidence & { readonly stored: readonly FileStatusReport[] }> = stateless(
  'files of stores',
  FILE_STATUS_OPERATIONS,
  { needs: 'a file of a store' },
  (call) => fileStatusesIn(call).map((file) => ({ stored: [file], exchanges: [call.exchange] })),
);

export const statusChanges: Selector<Evidence & { readonly from: string; readonly to: string }> = follow(
  [...FILE_STATUS_OPERATIONS, 'deleteVectorStoreFile'],
  () => {
    const states = new LruMap<{ readonly status: string; readonly call: Call }>();
    return (call) => {
      const { operation, path } = call;
      // A file that is added again after its removal begins anew.
      if (operation.id === 'deleteVectorStoreFile' && mayHaveSucceeded(call))
        states.delete(`${path['vector_store_id']}/${path['file_id']}`);
      return fileStatusesIn(call).flatMap(({ store, file, value }) => {
        const status = textAt(value, 'status');
        const key = `${store}/${file}`;
        const before = states.get(key);
        if (status === undefined || (before && !precedes(before.call.exchange, call.exchange))) return [];
        states.set(key, { status, call });
        if (before === undefined || before.status === status) return [];
        return [{ from: before.status, to: status, exchanges: [before.call.exchange, call.exchange] }];
      });
    };
  },
  'a file whose status changed',
);
