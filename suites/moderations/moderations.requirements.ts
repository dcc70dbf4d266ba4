import { rowOf } from '../rows/rows.ts';
import { inResponseWhere, setIn, setValue } from '../vocabulary/changes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, ResponseEvidence } from '../vocabulary/types.ts';
import { batchedModerations } from './batched.ts';
import { LISTED } from './categories.ts';
import { defaultModelPairs, MODERATION_MODELS } from './models.ts';

const { stated, implied } = section('2 Moderation');
const MODERATE = 'createModeration';
const isUnnamed = ({ request }: Exchange): boolean =>
  valueAtPath(request.body.json?.value, 'model') === undefined;

const [DEFAULT, OTHER] = MODERATION_MODELS;

export const moderationsResultsInOrder = implied('moderations.results.in-order', {
  says: 'The results of several texts are in the order of the texts.',
  selector: batchedModerations,
  check: ({ together, alone }) =>
    together.flatMap((actual, i) =>
      actual === alone[i]
        ? []
        : [violation(`/results/${i}/flagged`, `${alone[i]}, as for the text alone`, actual)],
    ),
  mutations: {
    reversed: setIn(MODERATE, '/results', (results) => arrayAt(results).toReversed()),
    'flagged texts first': setIn(MODERATE, '/results', (results) => byFlag(results).toReversed()),
    'flagged texts last': setIn(MODERATE, '/results', byFlag),
  },
});

function byFlag(results: Json | undefined): readonly Json[] {
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
        // The schema already requires the listed categories in both.
        const lone = [...flags, ...scores].filter(
          (key) => !LISTED.has(key) && (!flags.includes(key) || !scores.includes(key)),
        );
        return lone.map((key) =>
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
  const found = valueAtPath(result, field);
  return isObject(found) ? Object.keys(found) : [];
}

export const moderationsModelDefault = stated('moderations.model.default', {
  says: `Without a model, the model named ${DEFAULT} judges.`,
  selector: defaultModelPairs,
  check: ({ named, unnamed }) => {
    const [wanted, actual] = [textAt(named.responseJson, 'model'), textAt(unnamed.responseJson, 'model')];
    // One response may contain the requested name, the other the name of the model behind it.
    const isAlias = (wanted === DEFAULT) !== (actual === DEFAULT) && wanted !== OTHER && actual !== OTHER;
    return actual === wanted || isAlias ? [] : [violation('/model', `${wanted}, as by name`, actual)];
  },
  mutations: {
    'the other model': inResponseWhere(MODERATE, isUnnamed, setValue('/model', OTHER)),
    'an unknown model': (trace) => {
      const named = inResponseWhere(MODERATE, (one) => !isUnnamed(one), setValue('/model', 'model-7'));
      const unnamed = inResponseWhere(MODERATE, isUnnamed, setValue('/model', 'model-of-another'));
      return unnamed(named(trace) ?? trace);
    },
  },
});
