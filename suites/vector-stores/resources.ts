import type { Resource } from '../generate/relations/resource.ts';

/** A store; what its files and the clock make of it changes by itself. */
export const vectorStoreResource = {
  area: 'vector-stores',
  noun: 'vector store',
  spec: '1 Vector store',
  create: 'createVectorStore',
  retrieve: 'retrieveVectorStore',
  list: 'listVectorStores',
  modify: 'modifyVectorStore',
  remove: 'deleteVectorStore',
  moving: ['usage_bytes', 'file_counts', 'status', 'expires_at', 'last_active_at'],
} satisfies Resource;
