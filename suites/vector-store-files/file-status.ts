import { arrayAt, textAt } from '../vocabulary/json.ts';
import type { Call, Json } from '../vocabulary/types.ts';

/** A file in a store, as one response shows it. */
export interface FileStatusReport {
  /** Id of the store, from the path of the call. */
  readonly store: string;
  /** Id of the file. */
  readonly file: string;
  /** The file object of the store. */
  readonly value: Json;
  /** Where in the answer. */
  readonly at: string;
}

/** Operations whose responses contain files in stores. */
export const FILE_STATUS_OPERATIONS = [
  'createVectorStoreFile',
  'retrieveVectorStoreFile',
  'listVectorStoreFiles',
  'listVectorStoreFileBatchFiles',
] as const;

/** The files in stores that a response contains; the response of a deletion contains none. */
export function fileStatusesIn({
  operation,
  responseJson: answer,
  path,
  requestJson: asked,
}: Call): readonly FileStatusReport[] {
  const store = path['vector_store_id'];
  if (answer === undefined || store === undefined) return [];
  switch (operation.id) {
    case 'createVectorStoreFile':
      return [{ store, file: textAt(asked, 'file_id') ?? '', value: answer, at: '' }];
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
