import { showsExistence } from '../files/file.ts';
import { fieldKeys, fieldValue, outcome } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, successions, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { statusChanges } from './status-changes.ts';

const { choice } = section('1 Vector store file');
const ENDPOINTS = '1 Vector store files';

const ENDS: readonly string[] = ['completed', 'failed', 'cancelled'];

const shownOrListed = responses(['createVectorStoreFile', 'retrieveVectorStoreFile', 'listVectorStoreFiles']);

const lastErrorKeys = fieldKeys('last_error');

/** The errors of a file in a store, or of the elements of a list of them. */
function errorsIn(answer: Json) {
  return [answer, ...arrayAt(answer, 'data')].map((file) => valueAtPath(file, 'last_error')).filter(isObject);
}

export const vectorStoreFilesStatesFirst = choice('vector-store-files.states.first', {
  says: 'In which state a file is that has just been added to a store.',
  alternatives: ['in_progress', 'completed'],
  selector: responses('createVectorStoreFile'),
  taken: fieldValue('status'),
});

export const vectorStoreFilesStatesWay = choice('vector-store-files.states.way', {
  says: 'Whether a file in a store goes from in_progress straight to an end.',
  alternatives: ['straight', 'by way of another state'],
  selector: statusChanges(),
  taken: ({ from, to }) => {
    if (from !== 'in_progress') return null;
    return ENDS.includes(to) ? 'straight' : 'by way of another state';
  },
});

export const vectorStoreFilesStatesFromEnded = choice('vector-store-files.states.from-ended', {
  says: 'Which state of a file in a store follows one in which it had ended.',
  alternatives: ['in_progress', 'another end'],
  selector: statusChanges(),
  taken: ({ from, to }) => {
    if (!ENDS.includes(from)) return null;
    return ENDS.includes(to) ? 'another end' : to;
  },
});

export const vectorStoreFilesLastErrorFields = choice('vector-store-files.last-error.fields', {
  says: 'Which fields the last_error of a failed file has.',
  alternatives: ['code, message', 'message'],
  selector: where(shownOrListed, ({ answer }) => errorsIn(answer).length > 0),
  taken: ({ answer }) => {
    const forms = errorsIn(answer).map((last_error) => lastErrorKeys({ answer: { last_error } }) ?? '');
    // Of a list the one with the fewest fields.
    return forms.toSorted((a, b) => a.length - b.length)[0] ?? null;
  },
});

export const vectorStoreFilesUsageSize = choice('vector-store-files.usage.size', {
  says: 'Whether a completed file uses as many bytes in a store as it has itself.',
  alternatives: ['as many', 'another number'],
  selector: where(
    successions({
      first: 'createFile',
      later: 'retrieveVectorStoreFile',
      about: ({ path, responseJson: answer }) => path['file_id'] ?? textAt(answer, 'id'),
    }),
    ({ after }) => textAt(after.responseJson, 'status') === 'completed',
  ),
  taken: ({ before, after }) =>
    numberAt(before.responseJson, 'bytes') === numberAt(after.responseJson, 'usage_bytes')
      ? 'as many'
      : 'another number',
});

export const vectorStoreFilesCreateAgain = choice('vector-store-files.create.again', {
  spec: ENDPOINTS,
  says: 'Whether a file is added to a store that has it already.',
  alternatives: ['accepted', 'refused'],
  selector: where(
    successions({
      first: 'createVectorStoreFile',
      later: 'createVectorStoreFile',
      until: ['deleteVectorStoreFile'],
      about: ({ path, requestJson: asked }) =>
        `${path['vector_store_id']}/${path['file_id'] ?? textAt(asked, 'file_id')}`,
    }),
    ({ after }) => showsExistence(after),
  ),
  taken: outcome('accepted'),
});

export const vectorStoreFilesCreateUnknownFile = choice('vector-store-files.create.unknown-file', {
  spec: ENDPOINTS,
  says: 'Whether a file that does not exist is added to a store.',
  alternatives: ['refused', 'added'],
  selector: where(requests('createVectorStoreFile'), ({ call }) => {
    const { probe } = call.exchange;
    return probe?.pointer === 'body.file_id' && probe.keyword === 'unknown' && showsExistence(call);
  }),
  taken: outcome('added'),
});

export const vectorStoreFilesDeleteAgain = choice('vector-store-files.delete.again', {
  spec: ENDPOINTS,
  says: 'The response to the removal of a file that was removed before.',
  alternatives: ['refused', 'removed again'],
  selector: where(
    successions({
      first: 'deleteVectorStoreFile',
      later: 'deleteVectorStoreFile',
      about: ({ path }) => `${path['vector_store_id']}/${path['file_id']}`,
    }),
    ({ after }) => showsExistence(after),
  ),
  taken: outcome('removed again'),
});

export const vectorStoreFilesFileDeletedStays = choice('vector-store-files.file-deleted.stays', {
  spec: ENDPOINTS,
  says: 'Whether a file stays in a store when the file itself is deleted.',
  alternatives: ['stays', 'gone'],
  selector: where(
    successions({
      first: 'deleteFile',
      later: 'retrieveVectorStoreFile',
      about: ({ path }) => path['file_id'],
    }),
    ({ after }) => showsExistence(after),
  ),
  taken: outcome('stays', 'gone'),
});
