import { keysOf } from '../rows/choice-values.ts';
import { choiceOf } from '../rows/rows.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { responses, settled, successions, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';

export const vectorStoreFilesLastErrorFields = choiceOf('vector-store-files.last-error.fields', {
  selector: where(
    responses(['createVectorStoreFile', 'retrieveVectorStoreFile', 'listVectorStoreFiles']),
    ({ answer }) => errorsIn(answer).length > 0,
  ),
  taken: ({ answer }) => {
    // A list may show several errors: the one with the shortest joined field names counts.
    const forms = errorsIn(answer).map((error) => keysOf(error) ?? '');
    return forms.toSorted((a, b) => a.length - b.length)[0] ?? null;
  },
});

function errorsIn(answer: Json) {
  return [answer, ...arrayAt(answer, 'data')].map((file) => valueAtPath(file, 'last_error')).filter(isObject);
}

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
