import { rowOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, ResponseEvidence } from '../vocabulary/types.ts';
import { batchedModerations } from './batched.ts';
import { LISTED_CATEGORIES } from './categories.ts';
import { defaultModelPairs, MODERATION_MODELS } from './models.ts';

const MODERATE = 'createModeration';
const [DEFAULT_MODEL, OTHER_MODEL] = MODERATION_MODELS;

export const moderationsResultsInOrder = rowOf('moderations.results.in-order', {
  evidence: batchedModerations,
  check: ({ together, alone }) =>
    together.flatMap((actual, i) =>
      actual === alone[i]
        ? []
        : [violation(`/results/${i}/flagged`, `${alone[i]}, as for the text alone`, actual)],
    ),
  broken_by: {
    'flagged texts first': setIn(MODERATE, '/results', (results) => sortByFlag(results).toReversed()),
    'flagged texts last': setIn(MODERATE, '/results', sortByFlag),
  },
});

function sortByFlag(results: Json | undefined): readonly Json[] {
  return arrayAt(results).toSorted(
    (a, b) => Number(valueAtPath(a, 'flagged')) - Number(valueAtPath(b, 'flagged')),
  );
}

export const moderationsResultsSameCategories = rowOf<ResponseEvidence>(
  'moderations.results.same-categories',
  {
    check: ({ answer }) =>
      arrayAt(answer, 'results').flatMap((result, i) => {
        const [flags, scores] = [keysOf(result, 'categories'), keysOf(result, 'category_scores')];
        // The schema already requires the listed categories in both `categories` and `category_scores`.
        const unpaired = [...flags, ...scores].filter(
          (key) => !LISTED_CATEGORIES.has(key) && (!flags.includes(key) || !scores.includes(key)),
        );
        return unpaired.map((key) =>
          violation(
            `/results/${i}`,
            `${key} in both objects`,
            flags.includes(key) ? 'in categories alone' : 'in category_scores alone',
          ),
        );
      }),
  },
);

function keysOf(result: Json, field: string): readonly string[] {
  const values = valueAtPath(result, field);
  return isObject(values) ? Object.keys(values) : [];
}

export const moderationsModelDefault = rowOf('moderations.model.default', {
  evidence: defaultModelPairs,
  check: ({ withModel, withoutModel }) => {
    const wanted = textAt(withModel.responseJson, 'model');
    const actual = textAt(withoutModel.responseJson, 'model');
    // One response may contain the requested name, and the other the name of the model behind it.
    const names = [wanted, actual];
    const isAlias = names.includes(DEFAULT_MODEL) && !names.includes(OTHER_MODEL);
    return actual === wanted || isAlias ? [] : [violation('/model', `${wanted}, as when named`, actual)];
  },
});
