import type { Exchange } from '../../exchange/exchange.ts';
import { inAnswer, inAnswerWhere } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { filterings } from '../vector-store-files/filterings.ts';
import { type Contents, contents } from '../vector-stores/contents.ts';
import { miscounted } from '../vector-stores/counts.ts';
import { idsOf } from '../vector-stores/page.ts';
import { tallies } from '../vector-stores/tallies.ts';
import { batchOf } from './moments.ts';

const SPEC = '1 Vector store file batch';
const ENDPOINTS = '1 Vector store file batches';
const LIST = 'listVectorStoreFileBatchFiles';
const TELL = 'retrieveVectorStoreFileBatch';

export const owner = requirement({
  id: 'vector-store-file-batches.files.owner',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'The files of a batch name the vector store that the batch belongs to.',
  on: only(answers(LIST), ({ answer }) => list(answer, 'data').length > 0),
  check: ({ call, answer }) =>
    list(answer, 'data').flatMap((file, i) => {
      const [wanted, actual] = [call.path['vector_store_id'], get(file, 'vector_store_id')];
      return actual === wanted ? [] : [{ at: `/data/${i}/vector_store_id`, expected: `${wanted}`, actual }];
    }),
  breaks: {
    'another store': inAnswer(LIST, put('/data/0/vector_store_id', 'vs_other')),
    'no store': inAnswer(LIST, remove('/data/0/vector_store_id')),
  },
});

export const own = requirement({
  id: 'vector-store-file-batches.files.own',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A batch lists only files that it was created with.',
  on: only(
    successions({ first: 'createVectorStoreFileBatch', later: LIST, about: batchOf }),
    ({ after }) => list(after.answer, 'data').length > 0,
  ),
  check: ({ before, after }) => {
    const given = list(before.asked, 'file_ids');
    return idsOf(list(after.answer, 'data')).flatMap((id, i) =>
      given.includes(id) ? [] : [{ at: `/data/${i}/id`, expected: 'a file of the batch', actual: id }],
    );
  },
  breaks: {
    'an id of another': inAnswer(LIST, put('/data/0/id', 'file-other')),
    'one more': inAnswer(
      LIST,
      put('/data', (data) => [...list(data), { ...Object(list(data)[0]), id: 'file-more' }]),
    ),
  },
});

export const complete = requirement({
  id: 'vector-store-file-batches.files.all-listed',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A completed batch lists every file that it was created with.',
  on: contents({ create: 'createVectorStoreFileBatch', tell: TELL, list: LIST }),
  check: lacking,
  breaks: {
    'none of them': inAnswer(LIST, put('/data', [])),
    'the first is lost': inAnswer(LIST, remove('/data/0')),
  },
});

export const inStore = requirement({
  id: 'vector-store-file-batches.files.in-store',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'Every file of a completed batch is listed in its vector store.',
  on: contents({ create: 'createVectorStoreFileBatch', tell: TELL, list: 'listVectorStoreFiles' }),
  check: lacking,
  breaks: {
    'none of them': inAnswer('listVectorStoreFiles', put('/data', [])),
    'the first is lost': inAnswer('listVectorStoreFiles', remove('/data/0')),
  },
});

export const filtered = requirement({
  id: 'vector-store-file-batches.filter.complete',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A list of a batch’s files in one state has every file that is in it all the while.',
  on: only(filterings(LIST), ({ status, filter }) => status === filter),
  check: ({ file, isShown, page }) =>
    isShown
      ? []
      : [{ at: '/data', expected: `an element with id ${file}`, actual: 'none', exchange: page.exchange.id }],
  breaks: {
    'none in progress': inAnswerWhere(LIST, asksFor('in_progress'), put('/data', [])),
    'none completed': inAnswerWhere(LIST, asksFor('completed'), put('/data', [])),
    'none cancelled': inAnswerWhere(LIST, asksFor('cancelled'), put('/data', [])),
    'the first is lost': inAnswerWhere(
      LIST,
      asksFor(''),
      put('/data', (data) => list(data).slice(1)),
    ),
  },
});

export const counts = requirement({
  id: 'vector-store-file-batches.counts.as-listed',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A completed batch counts its files, in all and by state, as they are listed.',
  on: only(tallies({ tell: TELL, list: LIST, add: [] }), ({ files }) => files.length > 0),
  check: miscounted,
  breaks: {
    'another total': inAnswer(TELL, put('/file_counts/total', 99)),
    'none completed': inAnswer(TELL, put('/file_counts/completed', 0)),
    'some in progress': inAnswer(TELL, put('/file_counts/in_progress', 7)),
    'some failed': inAnswer(TELL, put('/file_counts/failed', 7)),
    'some cancelled': inAnswer(TELL, put('/file_counts/cancelled', 7)),
    'one is not listed': inAnswer(
      LIST,
      put('/data', (data) => list(data).slice(1)),
    ),
  },
});

function lacking({ missing }: Contents): Complaint[] {
  return missing.map((id) => ({ at: '/data', expected: `an element with id ${id}`, actual: 'none' }));
}

function asksFor(state: string) {
  return ({ request }: Exchange): boolean => request.target.includes(`filter=${state}`);
}
