import { choiceOf } from '../rows/rows.ts';
import { fieldValue, outcome } from '../vocabulary/choice-shapes.ts';
import { keysOf } from '../vocabulary/choice-values.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  idFrom,
  namesNothingIn,
  requests,
  responses,
  settled,
  shows,
  successions,
  where,
} from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';
import { statusChanges } from './files.ts';

const ENDS: readonly string[] = ['completed', 'failed', 'cancelled'];

const shownOrListed = responses(['createVectorStoreFile', 'retrieveVectorStoreFile', 'listVectorStoreFiles']);

/** The errors of a file in a store, or of the elements of a list of them. */
function errorsIn(answer: Json) {
  return [answer, ...arrayAt(answer, 'data')].map((file) => valueAtPath(file, 'last_error')).filter(isObject);
}

export const vectorStoreFilesStatesFirst = choiceOf('vector-store-files.states.first', {
  selector: responses('createVectorStoreFile'),
  taken: fieldValue('status'),
});

export const vectorStoreFilesStatesWay = choiceOf('vector-store-files.states.way', {
  selector: where(statusChanges, ({ from }) => from === 'in_progress'),
  taken: ({ to }) => (ENDS.includes(to) ? 'straight' : 'by way of another state'),
});

export const vectorStoreFilesStatesFromEnded = choiceOf('vector-store-files.states.from-ended', {
  selector: where(statusChanges, ({ from }) => ENDS.includes(from)),
  taken: ({ to }) => (ENDS.includes(to) ? 'another end' : to),
});

export const vectorStoreFilesLastErrorFields = choiceOf('vector-store-files.last-error.fields', {
  selector: where(shownOrListed, ({ answer }) => errorsIn(answer).length > 0),
  taken: ({ answer }) => {
    // Of a list the one with the fewest fields.
    const forms = errorsIn(answer).map((error) => keysOf(error) ?? '');
    return forms.toSorted((a, b) => a.length - b.length)[0] ?? null;
  },
});

export const vectorStoreFilesUsageSize = choiceOf('vector-store-files.usage.size', {
  selector: where(
    successions({ first: 'createFile', later: 'retrieveVectorStoreFile', about: idFrom('file_id', 'id') }),
    shows('status', 'completed'),
  ),
  taken: ({ before, after }) =>
    numberAt(before.responseJson, 'bytes') === numberAt(after.responseJson, 'usage_bytes')
      ? 'as many'
      : 'another number',
});

export const vectorStoreFilesCreateAgain = choiceOf('vector-store-files.create.again', {
  selector: where(
    successions({
      first: 'createVectorStoreFile',
      later: 'createVectorStoreFile',
      until: ['deleteVectorStoreFile'],
      about: ({ path, requestJson: asked }) =>
        `${path['vector_store_id']}/${path['file_id'] ?? textAt(asked, 'file_id')}`,
    }),
    settled,
  ),
  taken: outcome('accepted'),
});

export const vectorStoreFilesCreateUnknownFile = choiceOf('vector-store-files.create.unknown-file', {
  selector: where(requests('createVectorStoreFile'), namesNothingIn('body.file_id'), settled),
  taken: outcome('added'),
});

export const vectorStoreFilesDeleteAgain = choiceOf('vector-store-files.delete.again', {
  selector: where(
    successions({
      first: 'deleteVectorStoreFile',
      later: 'deleteVectorStoreFile',
      about: ({ path }) => `${path['vector_store_id']}/${path['file_id']}`,
    }),
    settled,
  ),
  taken: outcome('removed again'),
});

export const vectorStoreFilesFileDeletedStays = choiceOf('vector-store-files.file-deleted.stays', {
  selector: where(
    successions({
      first: 'deleteFile',
      later: 'retrieveVectorStoreFile',
      about: ({ path }) => path['file_id'],
    }),
    settled,
  ),
  taken: outcome('stays', 'gone'),
});
