import { byItsStatus, filteredPages } from '../vector-store-files/files.ts';
import {
  elementIds,
  miscounted,
  type StoreContents,
  storeContents,
  storeTallies,
  withFiles,
} from '../vector-stores/stores.ts';
import { inResponseWhere, removeIn, setIn, setValue } from '../vocabulary/changes.ts';
import { arrayAt } from '../vocabulary/json.ts';
import { lists, successions, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Violation } from '../vocabulary/types.ts';
import { calledBatch } from './batches.ts';

const { implied } = section('1 Vector store file batches');
const SPEC = '1 Vector store file batch';
const LIST = 'listVectorStoreFileBatchFiles';
const RETRIEVE = 'retrieveVectorStoreFileBatch';

export const vectorStoreFileBatchesFilesOwn = implied('vector-store-file-batches.files.own', {
  says: 'A batch lists only files that it was created with.',
  selector: where(
    successions({ first: 'createVectorStoreFileBatch', later: LIST, about: calledBatch }),
    lists('data'),
  ),
  check: ({ before, after }) => {
    const given = arrayAt(before.requestJson, 'file_ids');
    return elementIds(arrayAt(after.responseJson, 'data')).flatMap((id, i) =>
      given.includes(id) ? [] : [violation(`/data/${i}/id`, 'a file of the batch', id)],
    );
  },
  mutations: {
    'an id of another': setIn(LIST, '/data/0/id', 'file-other'),
    'one more': setIn(LIST, '/data', (data) => [
      ...arrayAt(data),
      { ...Object(arrayAt(data)[0]), id: 'file-more' },
    ]),
  },
});

export const vectorStoreFileBatchesFilesAllListed = implied('vector-store-file-batches.files.all-listed', {
  says: 'A completed batch lists every file that it was created with.',
  selector: storeContents({ create: 'createVectorStoreFileBatch', retrieve: RETRIEVE, list: LIST }),
  check: lacking,
  mutations: {
    'none of them': setIn(LIST, '/data', []),
    'the first is lost': removeIn(LIST, '/data/0'),
  },
});

export const vectorStoreFileBatchesFilesInStore = implied('vector-store-file-batches.files.in-store', {
  says: 'Every file of a completed batch is listed in its vector store.',
  selector: storeContents({
    create: 'createVectorStoreFileBatch',
    retrieve: RETRIEVE,
    list: 'listVectorStoreFiles',
  }),
  check: lacking,
  mutations: {
    'none of them': setIn('listVectorStoreFiles', '/data', []),
    'the first is lost': removeIn('listVectorStoreFiles', '/data/0'),
  },
});

export const vectorStoreFileBatchesFilterComplete = implied('vector-store-file-batches.filter.complete', {
  says: 'A list of a batch’s files in one state contains every file that is in this state throughout.',
  selector: where(filteredPages(LIST), byItsStatus),
  check: ({ file, isShown, page }) =>
    isShown ? [] : [violation('/data', `an element with id ${file}`, 'none', page.exchange.id)],
  mutations: {
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

export const vectorStoreFileBatchesCountsAsListed = implied('vector-store-file-batches.counts.as-listed', {
  spec: SPEC,
  says: 'A completed batch counts its files, in all and by state, as they are listed.',
  selector: where(storeTallies({ retrieve: RETRIEVE, list: LIST, add: [] }), withFiles),
  check: miscounted,
  mutations: {
    'another total': setIn(RETRIEVE, '/file_counts/total', 99),
    'none completed': setIn(RETRIEVE, '/file_counts/completed', 0),
    'some in progress': setIn(RETRIEVE, '/file_counts/in_progress', 7),
    'some failed': setIn(RETRIEVE, '/file_counts/failed', 7),
    'some cancelled': setIn(RETRIEVE, '/file_counts/cancelled', 7),
    'one is not listed': setIn(LIST, '/data', (data) => arrayAt(data).slice(1)),
  },
});

function lacking({ missing }: StoreContents): Violation[] {
  return missing.map((id) => violation('/data', `an element with id ${id}`, 'none'));
}

function asksFor(state: string) {
  return ({ request }: Exchange): boolean => request.target.includes(`filter=${state}`);
}
