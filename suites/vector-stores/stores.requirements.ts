import type { Exchange } from '../../exchange/exchange.ts';
import { everywhere, inAnswer } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { all, put, remove } from '../../judge/edit/values.ts';
import { get, list, number, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { contents } from './contents.ts';
import { miscounted } from './counts.ts';
import { tallies } from './tallies.ts';

const SPEC = '1 Vector store';
const ENDPOINTS = '1 Vector stores';

export const nameTakenAway = requirement({
  id: 'vector-stores.modify.null-name',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A vector store whose name is modified to null no longer tells the name that it had.',
  on: only(
    successions({
      first: ['createVectorStore', 'retrieveVectorStore', 'modifyVectorStore'],
      later: 'modifyVectorStore',
    }),
    ({ before, after }) =>
      get(after.asked, 'name') === null &&
      after.answer !== undefined &&
      (text(before.answer, 'name') ?? '') !== '',
  ),
  check: ({ before, after }) => {
    const [old, actual] = [text(before.answer, 'name'), get(after.answer, 'name')];
    return actual === old ? [{ at: '/name', expected: `no longer ${JSON.stringify(old)}`, actual }] : [];
  },
  breaks: { 'null is passed over': keepName },
});

export const filesListed = requirement({
  id: 'vector-stores.create.files-are-listed',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A completed vector store lists every file that it was created with.',
  on: contents({ create: 'createVectorStore', tell: 'retrieveVectorStore', list: 'listVectorStoreFiles' }),
  check: ({ missing }) =>
    missing.map((id) => ({ at: '/data', expected: `an element with id ${id}`, actual: 'none' })),
  breaks: {
    'none of them': inAnswer('listVectorStoreFiles', put('/data', [])),
    'the first is lost': inAnswer('listVectorStoreFiles', remove('/data/0')),
    'other ids': inAnswer('listVectorStoreFiles', put('/data/*/id', 'file-other')),
  },
});

export const counts = requirement({
  id: 'vector-stores.counts.as-listed',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A completed vector store counts its files, in all and by state, as they are listed.',
  on: only(
    tallies({
      tell: 'retrieveVectorStore',
      list: 'listVectorStoreFiles',
      add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
    }),
    ({ files }) => files.length > 0,
  ),
  check: miscounted,
  breaks: {
    'another total': inAnswer('retrieveVectorStore', put('/file_counts/total', 99)),
    'none completed': inAnswer('retrieveVectorStore', put('/file_counts/completed', 0)),
    'some in progress': inAnswer('retrieveVectorStore', put('/file_counts/in_progress', 7)),
    'some failed': inAnswer('retrieveVectorStore', put('/file_counts/failed', 7)),
    'some cancelled': inAnswer('retrieveVectorStore', put('/file_counts/cancelled', 7)),
    'one is not listed': inAnswer(
      'listVectorStoreFiles',
      put('/data', (data) => list(data).slice(1)),
    ),
  },
});

export const expiredAt = requirement({
  id: 'vector-stores.expired.expires-at-set',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Common shapes',
  says: 'A vector store that is expired tells when: its expires_at is no longer null.',
  on: only(
    answers(['retrieveVectorStore', 'modifyVectorStore']),
    ({ answer }) => text(answer, 'status') === 'expired',
  ),
  check: ({ answer }) =>
    number(answer, 'expires_at') === undefined
      ? [{ at: '/expires_at', expected: 'Unix seconds', actual: get(answer, 'expires_at') }]
      : [],
  breaks: {
    'null for ever': inAnswer('retrieveVectorStore', put('/expires_at', null)),
    'left out': inAnswer('retrieveVectorStore', remove('/expires_at')),
    'without having expired': inAnswer(
      'retrieveVectorStore',
      all(put('/status', 'expired'), put('/expires_at', null)),
    ),
  },
});

/** Every modification that takes a name away is answered with the name that the store was created with. */
function keepName(trace: readonly Exchange[]): readonly Exchange[] | null {
  const names = new Map<string, string>();
  for (const { request, response } of trace) {
    const made = response?.body.json?.value;
    const [id, name] = [text(made, 'id'), text(made, 'name')];
    if (request.target === '/v1/vector_stores' && id !== undefined && name !== undefined) names.set(id, name);
  }
  return everywhere('modifyVectorStore', (exchange) => {
    const name = names.get(exchange.request.target.split('/')[3] ?? '');
    const takesAway = get(exchange.request.body.json?.value, 'name') === null;
    return name === undefined || !takesAway ? exchange : withAnswer(exchange, put('/name', name));
  })(trace);
}
