import { inResponse, removeIn, removeValue, setIn, setValue } from '../vocabulary/changes.ts';
import { arrayAt, listElements, valueAtPath } from '../vocabulary/json.ts';
import { responses, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { miscounted, storeTallies, withFiles } from './stores.ts';

const { stated, implied } = section('1 Vector store');
const TELLING = ['createVectorStore', 'retrieveVectorStore', 'modifyVectorStore', 'listVectorStores'];

const stores = where(
  responses(TELLING),
  that('with a store', ({ answer }) => storesIn(answer).length > 0),
);

export const vectorStoresObjectTellsBytes = stated('vector-stores.object.tells-bytes', {
  says: 'A vector store shows how many bytes its files take, as `usage_bytes` or as `bytes`.',
  selector: stores,
  check: ({ answer }) => lacking(answer, 'usage_bytes', 'bytes'),
  mutations: {
    'neither in a list': removeIn('listVectorStores', '/data/0/usage_bytes', '/data/0/bytes'),
    neither: removeIn('retrieveVectorStore', '/usage_bytes', '/bytes'),
    'neither when it is made': removeIn('createVectorStore', '/usage_bytes', '/bytes'),
    'under a third name': inResponse(
      'modifyVectorStore',
      removeValue('/usage_bytes'),
      removeValue('/bytes'),
      setValue('/size', 1),
    ),
  },
});

export const vectorStoresObjectTellsLastActivity = stated('vector-stores.object.tells-last-activity', {
  level: 'SHOULD',
  says: 'A vector store shows when it was last in use, or null, as `last_active_at` or as `last_used_at`.',
  selector: stores,
  check: ({ answer }) => lacking(answer, 'last_active_at', 'last_used_at'),
  mutations: {
    'neither in a list': removeIn('listVectorStores', '/data/0/last_active_at', '/data/0/last_used_at'),
    neither: removeIn('retrieveVectorStore', '/last_active_at', '/last_used_at'),
    'neither when it is made': removeIn('createVectorStore', '/last_active_at', '/last_used_at'),
    'under a third name': inResponse(
      'modifyVectorStore',
      removeValue('/last_active_at'),
      removeValue('/last_used_at'),
      setValue('/active_at', 1),
    ),
  },
});

export const vectorStoresCountsAsListed = implied('vector-stores.counts.as-listed', {
  says: 'A completed vector store counts its files, in all and by state, as they are listed.',
  selector: where(
    storeTallies({
      retrieve: 'retrieveVectorStore',
      list: 'listVectorStoreFiles',
      add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
    }),
    withFiles,
  ),
  check: miscounted,
  mutations: {
    'another total': setIn('retrieveVectorStore', '/file_counts/total', 99),
    'none completed': setIn('retrieveVectorStore', '/file_counts/completed', 0),
    'some in progress': setIn('retrieveVectorStore', '/file_counts/in_progress', 7),
    'some failed': setIn('retrieveVectorStore', '/file_counts/failed', 7),
    'some cancelled': setIn('retrieveVectorStore', '/file_counts/cancelled', 7),
    'one is not listed': setIn('listVectorStoreFiles', '/data', (data) => arrayAt(data).slice(1)),
  },
});

function lacking(answer: Json, name: string, other: string): readonly Violation[] {
  return storesIn(answer)
    .filter(({ value }) => valueAtPath(value, name) === undefined && valueAtPath(value, other) === undefined)
    .map(({ at }) => violation(`${at}/${name}`, `it, or ${other}`, undefined));
}

function storesIn(answer: Json) {
  // A list may lack its label.
  return Array.isArray(valueAtPath(answer, 'data')) ? listElements(answer) : [{ at: '', value: answer }];
}
