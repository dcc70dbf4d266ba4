import type { Resource } from '../generate/relations/resource.ts';

/** A batch of files; its kind is spelled in two ways. */
export const fileBatchResource = {
  area: 'vector-store-file-batches',
  noun: 'file batch',
  spec: '1 Vector store file batch',
  create: 'createVectorStoreFileBatch',
  retrieve: 'retrieveVectorStoreFileBatch',
  moving: ['object', 'status', 'file_counts'],
} satisfies Resource;
