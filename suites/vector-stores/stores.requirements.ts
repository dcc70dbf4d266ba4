import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { all, put, remove } from '../../judge/edit/values.ts';
import { elements, get, list, number, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { contents } from './contents.ts';
import { miscounted } from './counts.ts';
import { tallies } from './tallies.ts';

const SPEC = '1 Vector store';
const ENDPOINTS = '1 Vector stores';
const TELLING = ['createVectorStore', 'retrieveVectorStore', 'modifyVectorStore', 'listVectorStores'];

const stores = only(answers(TELLING), ({ answer }) => storesIn(answer).length > 0);

export const bytes = requirement({
  id: 'vector-stores.object.tells-bytes',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A vector store tells how many bytes its files take, as `usage_bytes` or as `bytes`.',
  on: stores,
  check: ({ answer }) => lacking(answer, 'usage_bytes', 'bytes'),
  breaks: {
    'neither in a list': inAnswer(
      'listVectorStores',
      all(remove('/data/0/usage_bytes'), remove('/data/0/bytes')),
    ),
    neither: inAnswer('retrieveVectorStore', all(remove('/usage_bytes'), remove('/bytes'))),
    'neither when it is made': inAnswer('createVectorStore', all(remove('/usage_bytes'), remove('/bytes'))),
    'under a third name': inAnswer(
      'modifyVectorStore',
      all(remove('/usage_bytes'), remove('/bytes'), put('/size', 1)),
    ),
  },
});

export const lastActive = requirement({
  id: 'vector-stores.object.tells-last-activity',
  level: 'SHOULD',
  basis: 'stated',
  spec: SPEC,
  says: 'A vector store tells when it was last in use, or null, as `last_active_at` or as `last_used_at`.',
  on: stores,
  check: ({ answer }) => lacking(answer, 'last_active_at', 'last_used_at'),
  breaks: {
    'neither in a list': inAnswer(
      'listVectorStores',
      all(remove('/data/0/last_active_at'), remove('/data/0/last_used_at')),
    ),
    neither: inAnswer('retrieveVectorStore', all(remove('/last_active_at'), remove('/last_used_at'))),
    'neither when it is made': inAnswer(
      'createVectorStore',
      all(remove('/last_active_at'), remove('/last_used_at')),
    ),
    'under a third name': inAnswer(
      'modifyVectorStore',
      all(remove('/last_active_at'), remove('/last_used_at'), put('/active_at', 1)),
    ),
  },
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

/** Stores, the one of an answer or those of a list, that tell neither. */
function lacking(answer: Json, name: string, other: string): readonly Complaint[] {
  return storesIn(answer)
    .filter(({ value }) => get(value, name) === undefined && get(value, other) === undefined)
    .map(({ at }) => ({ at: `${at}/${name}`, expected: `it, or ${other}`, actual: undefined }));
}

function storesIn(answer: Json) {
  return get(answer, 'object') === 'list' ? elements(answer) : [{ at: '', value: answer }];
}
