// The reading rules of docs/reading-rules.md: equal words of the specification are treated equally.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { matchesAnyGlob, matchesGlob } from '../exchange/glob.ts';
import {
  isUnmarked,
  probeRequirementId,
  type RequestConstraint,
  requestConstraints,
} from '../judge/probe/request-constraints.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { responseConstraints } from '../judge/schema/response-schemas.ts';
import { catalogue } from './index.ts';
import { findDeviations, listOpenPlaces, listWordedFields } from './testing/worded-fields.ts';

const fullCatalogue = await catalogue();
const requirements = [...requirementsOf(fullCatalogue).values()];
const page = readFileSync(new URL('../docs/reading-rules.md', import.meta.url), 'utf8');

/** Keywords that bound a value: a stated bound determines which values are valid and which are not. */
const BOUNDS = ['minimum', 'maximum', 'maxLength', 'maxItems', 'maxProperties', 'enum', 'const'];

const EXCEPTIONS = page
  .slice(page.indexOf('## Exceptions'))
  .split('\n')
  .filter((line) => /^\| [12] /.test(line))
  .map((line) => ({
    line,
    places: [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  }));
const exceptedPlaces = EXCEPTIONS.flatMap(({ places }) => places).filter((code) => /^[*\w.]+:/.test(code));

function idOf({ subject, pointer, keyword }: RequestConstraint): string {
  return `${subject}:${pointer}#${keyword}`;
}

test('each stated range, limit or list is required on both sides, unless the page excepts it', () => {
  const bounded = requestConstraints().filter(({ keyword }) => BOUNDS.includes(keyword));
  const oneSided = bounded
    .filter(({ sides, open }) => sides.length < 2 && open === null)
    .map(idOf)
    .filter((id) => !matchesAnyGlob(exceptedPlaces, id));
  expect(bounded.length).toBeGreaterThan(100);
  expect(oneSided).toEqual([]);
});

test('accepting and rejecting by a bound are MUSTs', () => {
  const levels = new Map(requirements.map(({ id, level }) => [id, level]));
  const bounded = requestConstraints().filter(({ keyword }) => BOUNDS.includes(keyword));
  for (const side of ['accepted', 'rejected'] as const) {
    const ids = bounded
      .filter(({ sides }) => sides.includes(side))
      .map((constraint) => probeRequirementId(constraint, side));
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter((id) => levels.get(id) !== 'MUST')).toEqual([]);
  }
});

test('no range or limit is an exception', () => {
  const forms = EXCEPTIONS.map(({ line }) => line.split(' | ')[1]);
  expect(forms.filter((form) => form === 'range' || form === 'limit')).toEqual([]);
});

test('rejecting an unknown id, or the lack of a member that no word marks as required, is a SHOULD', () => {
  const refusals = requestConstraints().filter(
    (constraint) => constraint.sides.includes('rejected') && isUnmarked(constraint),
  );
  const levels = new Map(requirements.map(({ id, level }) => [id, level]));
  expect(refusals.length).toBeGreaterThan(60);
  const ids = refusals.map((constraint) => probeRequirementId(constraint, 'rejected'));
  expect([...new Set(ids.map((id) => levels.get(id)))]).toEqual(['SHOULD']);
});

test('the requirements treat each field as its description says, except for those listed on the page', () => {
  const fields = listWordedFields();
  expect(fields.length).toBeGreaterThan(300);
  const places = fields.filter((field) => findDeviations(field).length > 0).map(({ place }) => place);
  expect(places.filter((place) => !exceptedPlaces.includes(place))).toEqual([]);
});

test('open points of request schemas are exceptions on the page', () => {
  expect(listOpenPlaces().length).toBeGreaterThan(5);
  expect(listOpenPlaces().filter((place) => !exceptedPlaces.includes(place))).toEqual([]);
});

/** Fields that the specification grants to one form or model only, and the ids that judge or observe them elsewhere. */
const ONLY_FIELDS: Readonly<Record<string, string>> = {
  'assistant.v1:file_ids': 'assistants-v2.form.no-file-ids',
  'assistant.v2:tool_resources': 'assistants-v1.form.no-tool-resources',
  'createCompletion:suffix': 'completions.suffix.other-models',
  'createImage:quality': 'images.earlier-model-quality.taken',
  'createImage:style': 'images.earlier-model-style.taken',
};

test('"only" is a MUST for a field of responses, and a choice for a field of requests', () => {
  const fields = listWordedFields().filter(({ words }) => words.includes('only field'));
  expect(fields.map(({ place }) => place).toSorted()).toEqual(Object.keys(ONLY_FIELDS));
  const choices = new Set(fullCatalogue.choices.map(({ id }) => id));
  const kinds = new Map(requirements.map(({ id, kind, level, basis }) => [id, `${kind} ${level} ${basis}`]));
  const kindOf = (id: string) => (choices.has(id) ? 'choice' : kinds.get(id));
  const odd = fields.filter(
    ({ place, isSent }) => kindOf(ONLY_FIELDS[place] ?? '') !== (isSent ? 'choice' : 'behaviour MUST stated'),
  );
  expect(odd).toEqual([]);
  // The rule also holds for a whole body and for a request in the other form.
  expect(['messages.modify.other-fields', 'assistants.form.other-fields'].map(kindOf)).toEqual([
    'choice',
    'choice',
  ]);
});

test('every exception is needed', () => {
  const deviating = listWordedFields().flatMap((field) =>
    findDeviations(field).length > 0 ? [field.place] : [],
  );
  const known = [...deviating, ...listOpenPlaces(), ...requestConstraints().map(idOf)];
  expect(exceptedPlaces.filter((glob) => !known.some((place) => matchesGlob(glob, place)))).toEqual([]);
});

test('every exception has four columns', () => {
  expect(EXCEPTIONS.length).toBeGreaterThan(15);
  expect(EXCEPTIONS.filter(({ line }) => line.split(' | ').length !== 4).map(({ line }) => line)).toEqual([]);
});

test('exceptions name only existing ids', () => {
  const ids = new Set(
    [...requirements, ...fullCatalogue.choices, ...fullCatalogue.exclusions].map(({ id }) => id),
  );
  const named = EXCEPTIONS.flatMap(({ line }) =>
    [
      ...line
        .split(' | ')
        .slice(1)
        .join(' ')
        .matchAll(/`([a-z][\w*-]*\.[\w.*-]+)`/g),
    ].map(([, id = '']) => id),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((glob) => ![...ids].some((id) => matchesGlob(glob, id)))).toEqual([]);
});

test('every wording that schemas contain has a row on the page', () => {
  const forms = new Set(listWordedFields().flatMap(({ words }) => words.map(generalize)));
  const rows = new Set(
    [...page.matchAll(/^\|[^|]*\| `([^|]+)` \|/gm)].flatMap(([, cell = '']) => cell.split('`, `')),
  );
  expect([...forms].filter((form) => !rows.has(form))).toEqual([]);
});

function generalize(words: string): string {
  if (/ to /.test(words)) return 'A to B';
  if (/^(max|default) /.test(words)) return words.replace(/ .*/, words.startsWith('max') ? ' N' : ' X');
  if (
    /^(required|optional|deprecated|when|always|one of|values seen|needs|greater than|only value|only field)$/.test(
      words,
    )
  )
    return words;
  return words.endsWith('null') ? 'T or null' : 'T';
}

const REFUSAL =
  /\b(refused|rejects?|rejected|not carried out|cannot be (attached|created|added|used)|can no longer be|only a (file|model) that)\b/i;

test('a refusal is implied, because no sentence says what a refused request gets', () => {
  const refusing = requirements.filter(
    ({ id, kind, says }) => id.endsWith('.rejected') || (kind === 'behaviour' && REFUSAL.test(says)),
  );
  expect(refusing.length).toBeGreaterThan(500);
  expect(refusing.filter(({ basis }) => basis === 'stated').map(({ id }) => id)).toEqual([]);
});

test('values that were merely seen do not close a list', () => {
  const open = [...responseConstraints().values()].filter(
    ({ node }) => node.notes['x-open-enum'] !== undefined,
  );
  expect(open.length).toBeGreaterThan(5);
  expect(open.filter(({ keyword }) => keyword === 'enum' || keyword === 'const')).toEqual([]);
});

test('equal sentences of the specification have one basis in every family', () => {
  const basisOf = new Map(requirements.map(({ id, basis }) => [id, basis]));
  for (const [basis, ids] of ALIKE) {
    expect(ids.filter((id) => !basisOf.has(id))).toEqual([]);
    expect(ids.filter((id) => basisOf.get(id) !== basis)).toEqual([]);
  }
});

/** Requirements of several families that rest on the same wording. */
const ALIKE: readonly (readonly ['stated' | 'implied', readonly string[]])[] = [
  // The state table states the first state of a created object.
  [
    'stated',
    [
      'fine-tuning.create.queued',
      'batches.create.validating',
      'runs.create.queued',
      'vector-store-file-batches.create.in-progress',
      'thread.run.created:status#const',
    ],
  ],
  // The state table states the trigger of a transition and its result.
  [
    'stated',
    ['batches.cancel.accepted', 'fine-tuning.cancel.accepted', 'vector-store-file-batches.cancel.accepted'],
  ],
  [
    'stated',
    [
      'batches.cancel.cancelling',
      'fine-tuning.cancel.cancelled',
      'vector-store-file-batches.cancel.leaves-in-progress',
    ],
  ],
  // The state table does not have the transition.
  [
    'implied',
    [
      'batches.cancel.not-resumed',
      'fine-tuning.cancel.stays-cancelled',
      'runs.message.states',
      'runs.states.path',
      'run-steps.states.path',
      'vector-store-file-batches.states.never-back',
      'vector-store-file-batches.states.cancelling-by-cancel',
    ],
  ],
  // A field of the request controls the model.
  [
    'implied',
    [
      'chat.tools.forced-function-called',
      'runs.tools.forced-function-called',
      'chat.tools.no-tools-no-calls',
      'runs.tools.no-tools-no-calls',
      'chat.tools.none-calls-none',
      'runs.tools.none-calls-none',
      'chat.tools.required-calls-some',
      'runs.tools.required-calls-some',
      'chat.tools.only-given-functions',
      'runs.tools.only-given-functions',
    ],
  ],
  // An object that failed has details.
  [
    'stated',
    [
      'runs.failed.tells-why',
      'thread.run.step:#last-error-set',
      'vector-store-files.failed.tells-why',
      'runs.incomplete-details.set',
    ],
  ],
  // A time is null until its event has happened.
  [
    'stated',
    [
      'thread.run.step:#failed-at-set',
      'thread.run.step:#cancelled-at-set',
      'thread.run.step:#completed-at-set',
      'runs.message.incomplete-at-set',
      'runs.times.started',
    ],
  ],
  // The same wording, but the specification does not show the name of the state.
  ['implied', ['runs.failed.tells-when', 'batch:#failed-at-set', 'batch:#cancelled-at-set']],
];
