import { get, isObject, number, text } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { tells } from '../files/file.ts';
import { moves } from './moves.ts';

const SPEC = '1 Vector store file';
const ENDPOINTS = '1 Vector store files';

const ENDS: readonly string[] = ['completed', 'failed', 'cancelled'];

const shown = answers(['createVectorStoreFile', 'retrieveVectorStoreFile']);

export const firstState = choice({
  id: 'vector-store-files.states.first',
  spec: SPEC,
  says: 'In which state a file is that has just been added to a store.',
  alternatives: ['in_progress', 'completed'],
  on: answers('createVectorStoreFile'),
  taken: ({ answer }) => text(answer, 'status') ?? null,
});

export const way = choice({
  id: 'vector-store-files.states.way',
  spec: SPEC,
  says: 'Whether a file in a store goes from in_progress straight to an end.',
  alternatives: ['straight', 'by way of another state'],
  on: moves(),
  taken: ({ from, to }) => {
    if (from !== 'in_progress') return null;
    return ENDS.includes(to) ? 'straight' : 'by way of another state';
  },
});

export const afterEnd = choice({
  id: 'vector-store-files.states.from-ended',
  spec: SPEC,
  says: 'Which state of a file in a store follows one in which it had ended.',
  alternatives: ['in_progress', 'another end'],
  on: moves(),
  taken: ({ from, to }) => {
    if (!ENDS.includes(from)) return null;
    return ENDS.includes(to) ? 'another end' : to;
  },
});

export const lastErrorFields = choice({
  id: 'vector-store-files.last-error.fields',
  spec: SPEC,
  says: 'Which fields the last_error of a failed file has.',
  alternatives: ['code, message', 'message'],
  on: only(shown, ({ answer }) => isObject(get(answer, 'last_error'))),
  taken: ({ answer }) => {
    const error = get(answer, 'last_error');
    return isObject(error) ? Object.keys(error).sort().join(', ') : null;
  },
});

export const usage = choice({
  id: 'vector-store-files.usage.size',
  spec: SPEC,
  says: 'Whether a completed file uses as many bytes in a store as it has itself.',
  alternatives: ['as many', 'another number'],
  on: only(
    successions({
      first: 'createFile',
      later: 'retrieveVectorStoreFile',
      about: ({ path, answer }) => path['file_id'] ?? text(answer, 'id'),
    }),
    ({ after }) => text(after.answer, 'status') === 'completed',
  ),
  taken: ({ before, after }) =>
    number(before.answer, 'bytes') === number(after.answer, 'usage_bytes') ? 'as many' : 'another number',
});

export const addedTwice = choice({
  id: 'vector-store-files.create.again',
  spec: ENDPOINTS,
  says: 'Whether a file is added to a store that has it already.',
  alternatives: ['accepted', 'refused'],
  on: only(
    successions({
      first: 'createVectorStoreFile',
      later: 'createVectorStoreFile',
      until: ['deleteVectorStoreFile'],
      about: ({ path, asked }) => `${path['vector_store_id']}/${path['file_id'] ?? text(asked, 'file_id')}`,
    }),
    ({ after }) => tells(after),
  ),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'accepted' : 'refused'),
});

export const unknownFile = choice({
  id: 'vector-store-files.create.unknown-file',
  spec: ENDPOINTS,
  says: 'Whether a file is added to a store that nobody uploaded.',
  alternatives: ['refused', 'added'],
  on: only(requests('createVectorStoreFile'), ({ call }) => {
    const { probe } = call.exchange;
    return probe?.pointer === 'body.file_id' && probe.keyword === 'unknown' && tells(call);
  }),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'added' : 'refused'),
});

export const deletedTwice = choice({
  id: 'vector-store-files.delete.again',
  spec: ENDPOINTS,
  says: 'How the removal of a file that is removed already is answered.',
  alternatives: ['refused', 'removed again'],
  on: only(
    successions({
      first: 'deleteVectorStoreFile',
      later: 'deleteVectorStoreFile',
      about: ({ path }) => `${path['vector_store_id']}/${path['file_id']}`,
    }),
    ({ after }) => tells(after),
  ),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'removed again' : 'refused'),
});

export const withoutFile = choice({
  id: 'vector-store-files.file-deleted.stays',
  spec: ENDPOINTS,
  says: 'Whether a file stays in a store when the file itself is deleted.',
  alternatives: ['stays', 'gone'],
  on: only(
    successions({
      first: 'deleteFile',
      later: 'retrieveVectorStoreFile',
      about: ({ path }) => path['file_id'],
    }),
    ({ after }) => tells(after),
  ),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'stays' : 'gone'),
});
