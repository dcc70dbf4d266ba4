import { rowOf } from '../rows/rows.ts';
import { listElements, valueAtPath } from '../vocabulary/json.ts';
import { responses, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { miscounted, storeTallies, withFiles } from './stores.ts';

const TELLING = ['createVectorStore', 'retrieveVectorStore', 'modifyVectorStore', 'listVectorStores'];

const stores = where(
  responses(TELLING),
  that('with a store', ({ answer }) => storesIn(answer).length > 0),
);

export const vectorStoresObjectTellsBytes = rowOf('vector-stores.object.tells-bytes', {
  evidence: stores,
  check: ({ answer }) => lacking(answer, 'usage_bytes', 'bytes'),
});

export const vectorStoresObjectTellsLastActivity = rowOf('vector-stores.object.tells-last-activity', {
  evidence: stores,
  check: ({ answer }) => lacking(answer, 'last_active_at', 'last_used_at'),
});

export const vectorStoresCountsAsListed = rowOf('vector-stores.counts.as-listed', {
  evidence: where(
    storeTallies({
      retrieve: 'retrieveVectorStore',
      list: 'listVectorStoreFiles',
      add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
    }),
    withFiles,
  ),
  check: miscounted,
});

function lacking(answer: Json, name: string, other: string): readonly Violation[] {
  return storesIn(answer)
    .filter(({ value }) => valueAtPath(value, name) === undefined && valueAtPath(value, other) === undefined)
    .map(({ at }) => violation(`${at}/${name}`, `it, or ${other}`, undefined));
}

function storesIn(answer: Json) {
  // A list may lack `object`.
  return Array.isArray(valueAtPath(answer, 'data')) ? listElements(answer) : [{ at: '', value: answer }];
}
