import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { list, text } from '../../judge/json.ts';

/** A file in a store, as one answer tells of it. */
export interface Told {
  readonly store: string;
  readonly file: string;
  readonly value: Json;
  /** Where in the answer. */
  readonly at: string;
}

/** Operations whose answers tell of files in stores. */
export const telling = [
  'createVectorStoreFile',
  'retrieveVectorStoreFile',
  'listVectorStoreFiles',
  'listVectorStoreFileBatchFiles',
] as const;

/** The files in stores that an answer tells of; a deletion tells of none. */
export function toldBy({ operation, answer, path, asked }: Call): readonly Told[] {
  const store = path['vector_store_id'];
  if (answer === undefined || store === undefined) return [];
  switch (operation.id) {
    case 'createVectorStoreFile':
      return [{ store, file: text(asked, 'file_id') ?? '', value: answer, at: '' }];
    case 'retrieveVectorStoreFile':
      return [{ store, file: path['file_id'] ?? '', value: answer, at: '' }];
    case 'listVectorStoreFiles':
    case 'listVectorStoreFileBatchFiles':
      return list(answer, 'data').map((value, i) => ({
        store,
        file: text(value, 'id') ?? '',
        value,
        at: `/data/${i}`,
      }));
    default:
      return [];
  }
}
