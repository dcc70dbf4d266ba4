import type { Resource } from '../generate/relations/resource.ts';

/** A file in a store; a batch may add it once more. */
export const vectorStoreFile = {
  area: 'vector-store-files',
  noun: 'vector store file',
  spec: '1 Vector store file',
  create: 'createVectorStoreFile',
  retrieve: 'retrieveVectorStoreFile',
  list: 'listVectorStoreFiles',
  remove: 'deleteVectorStoreFile',
  moving: ['usage_bytes', 'status', 'last_error'],
  hasBorrowedId: true,
  touchedBy: ['createVectorStoreFileBatch'],
} satisfies Resource;
