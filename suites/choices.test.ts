import { expect, test } from 'vitest';
import { responseConstraints } from '../judge/schema/response-schemas.ts';
import { schema, schemaNames } from '../schemas/index.ts';
import { catalogue } from './index.ts';

const { choices, exclusions } = await catalogue();
const constraints = responseConstraints();

/** Matches the names of alternatives that may leave a field of a response absent or empty. */
const WITHOUT = /\b(absent|null|none|missing|gone|nothing|empty|without|left out|not told|no)\b/;

/** Choices with an alternative that `WITHOUT` matches, but about no stated field of a response, by their subject. */
const WITHOUT_PLACE: Readonly<Record<string, readonly string[]>> = {
  'fields that are not stated': [
    'assistants.form.other-fields',
    'audio.translation.verbose',
    'fine-tuning.event.data',
    'fine-tuning.hyperparameters.other-keys',
    'messages.form.beta-fields',
    'moderations.categories.other',
    'vector-stores.policy.fields',
  ],
  'a header': ['audio.speech.media-type', 'audio.transcription.media-type', 'files.content.media-type'],
  'a whole answer': [
    'assistant-files.delete.file-stays',
    'completions.prompt.missing',
    'errors.body.form',
    'lists.cursor.both',
    'lists.cursor.unknown',
    'moderations.input.empty',
    'vector-store-file-batches.files.in-store-before',
    'vector-store-files.file-deleted.stays',
  ],
  'events of a stream': [
    'completions.stream.last-piece',
    'runs.stream.deltas-of-other-parts',
    'runs.stream.deltas-of-tool-steps',
    'runs.stream.done-after-requires-action',
    'runs.stream.message-in-progress-content',
    'runs.stream.other-events',
  ],
  'what a value says': [
    'audio.transcription.own-speech',
    'completions.logprobs.count',
    'fine-tuning.results.listed',
    'runs.additional-instructions.told',
    'runs.truncation.default',
    'vector-store-file-batches.counts.at-first',
  ],
};

test('a choice that may leave a field without a value names the place of the field, unless it is listed here', () => {
  const lacking = choices.filter(({ alternatives }) => alternatives.some((name) => WITHOUT.test(name)));
  const unplaced = lacking.filter(({ places = [] }) => places.length === 0).map(({ id }) => id);
  expect(unplaced.toSorted()).toEqual(Object.values(WITHOUT_PLACE).flat().toSorted());
});

function findBrokenRequirements(place: string, alternative: string): readonly string[] {
  const demands = ['required', 'expected'].map((keyword) => `${place}#${keyword}`);
  if (['absent', 'not told', 'without them', 'left out', 'none'].includes(alternative))
    return demands.filter((id) => constraints.has(id));
  const type = constraints.get(`${place}#type`);
  const types: readonly unknown[] = type === undefined ? ['null'] : [type.value].flat();
  return alternative === 'null' && !types.includes('null') ? [`${place}#type`] : [];
}

const placedAlternatives = choices.flatMap(({ id, places = [], alternatives }) =>
  places.map((place) => ({ id, place, alternatives })),
);

test('the usual alternatives of a choice are among its alternatives', () => {
  const usual = choices.flatMap(({ id, usual = [], alternatives }) =>
    usual.map((name) => [id, alternatives.includes(name)]),
  );
  expect(usual.length).toBeGreaterThan(5);
  expect(usual.filter(([, isListed]) => !isListed)).toEqual([]);
});

test.each(placedAlternatives)(
  'requirements concern $place, and none contradicts $id',
  ({ place, alternatives }) => {
    expect([...constraints.keys()].some((id) => id.startsWith(`${place}#`))).toBe(true);
    expect(alternatives.flatMap((alternative) => findBrokenRequirements(place, alternative))).toEqual([]);
  },
);

test('every open point of the schemas is a choice or an exclusion', () => {
  const known = new Set([...choices, ...exclusions].map(({ id }) => id));
  const references = schemaNames().flatMap((name) => [
    ...JSON.stringify(schema(name)).matchAll(/"x-null":"([^"]+)"|"x-open":\{"by":"([^"]+)"/g),
  ]);
  expect(references.length).toBeGreaterThan(0);
  expect(references.map(([, first, second]) => first ?? second).filter((id) => !known.has(id ?? ''))).toEqual(
    [],
  );
});
