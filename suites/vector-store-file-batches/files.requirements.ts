import { rowOf } from '../rows/rows.ts';
import { byItsStatus, filteredPages } from '../vector-store-files/files.ts';
import {
  elementIds,
  miscounted,
  type StoreContents,
  storeContents,
  storeTallies,
  withFiles,
} from '../vector-stores/stores.ts';
import { inResponseWhere, setIn, setValue } from '../vocabulary/changes.ts';
import { arrayAt } from '../vocabulary/json.ts';
import { lists, successions, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Exchange, Violation } from '../vocabulary/types.ts';
import { calledBatch } from './batches.ts';

const LIST = 'listVectorStoreFileBatchFiles';
const RETRIEVE = 'retrieveVectorStoreFileBatch';

export const vectorStoreFileBatchesFilesOwn = rowOf('vector-store-file-batches.files.own', {
  evidence: where(
    successions({ first: 'createVectorStoreFileBatch', later: LIST, about: calledBatch }),
    lists('data'),
  ),
  check: ({ before, after }) => {
    const given = arrayAt(before.requestJson, 'file_ids');
    return elementIds(arrayAt(after.responseJson, 'data')).flatMap((id, i) =>
      given.includes(id) ? [] : [violation(`/data/${i}/id`, 'a file of the batch', id)],
    );
  },
  broken_by: {
    'one more': setIn(LIST, '/data', (data) => [
      ...arrayAt(data),
      { ...Object(arrayAt(data)[0]), id: 'file-more' },
    ]),
  },
});

export const vectorStoreFileBatchesFilesAllListed = rowOf('vector-store-file-batches.files.all-listed', {
  evidence: storeContents({ create: 'createVectorStoreFileBatch', retrieve: RETRIEVE, list: LIST }),
  check: lacking,
});

export const vectorStoreFileBatchesFilesInStore = rowOf('vector-store-file-batches.files.in-store', {
  evidence: storeContents({
    create: 'createVectorStoreFileBatch',
    retrieve: RETRIEVE,
    list: 'listVectorStoreFiles',
  }),
  check: lacking,
});

export const vectorStoreFileBatchesFilterComplete = rowOf('vector-store-file-batches.filter.complete', {
  evidence: where(filteredPages(LIST), byItsStatus),
  check: ({ file, isShown, page }) =>
    isShown ? [] : [violation('/data', `an element with id ${file}`, 'none', page.exchange.id)],
  broken_by: {
    'none in progress': inResponseWhere(LIST, asksFor('in_progress'), setValue('/data', [])),
    'none completed': inResponseWhere(LIST, asksFor('completed'), setValue('/data', [])),
    'none cancelled': inResponseWhere(LIST, asksFor('cancelled'), setValue('/data', [])),
    'the first is lost': inResponseWhere(
      LIST,
      asksFor(''),
      setValue('/data', (data) => arrayAt(data).slice(1)),
    ),
  },
});

export const vectorStoreFileBatchesCountsAsListed = rowOf('vector-store-file-batches.counts.as-listed', {
  evidence: where(storeTallies({ retrieve: RETRIEVE, list: LIST, add: [] }), withFiles),
  check: miscounted,
});

function lacking({ missing }: StoreContents): Violation[] {
  return missing.map((id) => violation('/data', `an element with id ${id}`, 'none'));
}

function asksFor(state: string) {
  return ({ request }: Exchange): boolean => request.target.includes(`filter=${state}`);
}
