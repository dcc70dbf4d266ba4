import type { Exchange } from '../../exchange/exchange.ts';
import { inAnswer, inAnswerWhere, status } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { answers, only, stateless } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { refusal, tells } from '../files/file.ts';
import { filterings } from './filterings.ts';
import { survivals } from './survivals.ts';
import { telling, toldBy } from './told.ts';

const SPEC = '1 Vector store file';
const ENDPOINTS = '1 Vector store files';

const told = stateless('files of stores', telling, {}, (call) =>
  toldBy(call).map((one) => ({ ...one, exchanges: [call.exchange] })),
);

export const fileId = requirement({
  id: 'vector-store-files.create.is-the-file',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A file that is added to a vector store keeps its id there.',
  on: answers('createVectorStoreFile'),
  check: ({ asked, answer }) => {
    const [wanted, actual] = [text(asked, 'file_id'), get(answer, 'id')];
    return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
  },
  breaks: {
    'an id of its own': inAnswer('createVectorStoreFile', put('/id', 'vsf_1')),
    'the id of the store': inAnswer('createVectorStoreFile', (answer) =>
      put('/id', get(answer, 'vector_store_id') ?? null)(answer),
    ),
  },
});

export const lastError = requirement({
  id: 'vector-store-files.failed.tells-why',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Errors',
  says: 'A file that failed in a vector store records details in last_error.',
  on: only(told, ({ value }) => text(value, 'status') === 'failed'),
  check: ({ value, at }) => {
    const actual = get(value, 'last_error');
    return isObject(actual) ? [] : [{ at: `${at}/last_error`, expected: 'an object', actual }];
  },
  breaks: {
    'null when retrieved': inAnswer('retrieveVectorStoreFile', failedWithout(put('/last_error', null))),
    'left out': inAnswer('retrieveVectorStoreFile', failedWithout(remove('/last_error'))),
    'null in a list': inAnswerWhere(
      'listVectorStoreFiles',
      asksFor('failed'),
      put('/data/*/last_error', null),
    ),
  },
});

export const filtered = requirement({
  id: 'vector-store-files.filter.complete',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A list of the files in one state has every file that is in that state all the while.',
  on: only(filterings('listVectorStoreFiles'), ({ status: state, filter }) => state === filter),
  check: ({ file, isShown, page }) =>
    isShown
      ? []
      : [{ at: '/data', expected: `an element with id ${file}`, actual: 'none', exchange: page.exchange.id }],
  breaks: {
    'none in progress': inAnswerWhere('listVectorStoreFiles', asksFor('in_progress'), put('/data', [])),
    'none completed': inAnswerWhere('listVectorStoreFiles', asksFor('completed'), put('/data', [])),
    'none failed': inAnswerWhere('listVectorStoreFiles', asksFor('failed'), put('/data', [])),
    'the first is lost': inAnswerWhere(
      'listVectorStoreFiles',
      ({ request }) => request.target.includes('filter='),
      put('/data', (data) => list(data).slice(1)),
    ),
  },
});

export const keepsFile = requirement({
  id: 'vector-store-files.delete.keeps-file',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'A file that is removed from a vector store stays among the files.',
  on: only(
    survivals(),
    ({ place, after }) => place === 'files' && after.operation.id === 'retrieveFile' && tells(after),
  ),
  check: ({ after }) => stays(after),
  breaks: { 'gone with it': status('retrieveFile', 404), refused: status('retrieveFile', 400) },
});

export const fileDeletable = requirement({
  id: 'vector-store-files.delete.file-deletable',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'A file that is removed from a vector store is deleted by the files endpoint.',
  on: only(
    survivals(),
    ({ place, after }) => place === 'files' && after.operation.id === 'deleteFile' && tells(after),
  ),
  check: ({ after }) => stays(after),
  breaks: { 'gone already': status('deleteFile', 404), refused: status('deleteFile', 400) },
});

export const keepsOtherStores = requirement({
  id: 'vector-store-files.delete.keeps-other-stores',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'A file that is removed from one vector store stays in another one.',
  on: only(survivals(), ({ place, after }) => place === 'another store' && tells(after)),
  check: ({ after }) => stays(after),
  breaks: {
    'gone from all': status('retrieveVectorStoreFile', 404),
    'refused from all': status('retrieveVectorStoreFile', 400),
  },
});

function stays(after: Parameters<typeof refusal>[0]): Complaint[] {
  return after.outcome === 'accepted' ? [] : [refusal(after, '2xx')];
}

function asksFor(state: string) {
  return ({ request }: Exchange): boolean => request.target.includes(`filter=${state}`);
}

function failedWithout(edit: ReturnType<typeof put>): ReturnType<typeof put> {
  return (answer) => (text(answer, 'status') === 'failed' ? edit(answer) : answer);
}
