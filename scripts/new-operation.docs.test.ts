// Adds a made-up kind of object with a list, a stream and states to a copy of the sources, in the three places that
// CONTRIBUTING.md names: `schemas/`, `suites/<family>/` and `reference/`. A run judges it without any other change.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copySources, runInCopy } from './testing/source-copy.ts';

const SPEC = '2 Models';
const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', 'x-spec': SPEC, type: 'object' };
const text = { type: 'string' };

const SCHEMAS = {
  'objects/rehearsal.json': {
    ...schema,
    title: 'Rehearsal',
    description: 'A made-up object.',
    required: ['id', 'object', 'created_at', 'status'],
    properties: {
      id: text,
      object: { ...text, const: 'rehearsal' },
      created_at: { type: 'integer' },
      status: { ...text, 'x-open-enum': ['waiting', 'done'] },
    },
  },
  'objects/rehearsal.line.json': {
    ...schema,
    title: 'Line',
    description: 'A piece of a streamed rehearsal.',
    required: ['object', 'words'],
    properties: { object: { ...text, const: 'rehearsal.line' }, words: text },
  },
  'envelopes/rehearsal.list.json': {
    ...schema,
    title: 'List of rehearsals',
    description: 'A page of rehearsals.',
    required: ['object', 'data', 'has_more'],
    properties: {
      object: { ...text, const: 'list' },
      data: { type: 'array', maxItems: 100, items: { $ref: '../objects/rehearsal.json' } },
      has_more: { type: 'boolean' },
    },
  },
  'requests/createRehearsal.json': {
    ...schema,
    title: 'Create a rehearsal',
    description: 'The words to rehearse.',
    required: ['words'],
    properties: {
      words: { ...text, description: 'What is said', maxLength: 100 },
      stream: { type: 'boolean' },
    },
  },
};

const traits = { tags: ['models'], description: 'Made up.', 'x-spec': SPEC, 'x-cost': 'free' };
const refused = { '4XX': { $ref: '#/components/responses/Refused' } };
const mediaType = (name: string) => ({ schema: { $ref: name } });
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
const parameters = [
  { name: 'after', in: 'query', description: 'Cursor', schema: text },
  { name: 'limit', in: 'query', description: 'Size', schema: limit },
];
const rehearsal = { description: 'It', content: { 'application/json': mediaType('objects/rehearsal.json') } };

const PATHS = {
  '/v1/rehearsals': {
    post: {
      ...traits,
      operationId: 'createRehearsal',
      summary: 'Create',
      requestBody: {
        required: true,
        content: { 'application/json': mediaType('requests/createRehearsal.json') },
      },
      responses: {
        '200': {
          description: 'It, or a stream of its lines',
          content: {
            'application/json': {
              ...mediaType('objects/rehearsal.json'),
              'x-when': { stream: [false, null] },
            },
            'text/event-stream': { 'x-events': { '': 'rehearsal.line' }, 'x-when': { stream: [true] } },
          },
        },
        ...refused,
      },
    },
    get: {
      ...traits,
      operationId: 'listRehearsals',
      summary: 'List',
      'x-list': { scope: 'organization', make: null },
      parameters,
      responses: {
        '200': {
          description: 'Page',
          content: { 'application/json': mediaType('envelopes/rehearsal.list.json') },
        },
        ...refused,
      },
    },
  },
  '/v1/rehearsals/{rehearsal_id}': {
    get: {
      ...traits,
      operationId: 'retrieveRehearsal',
      summary: 'Retrieve',
      parameters: [{ name: 'rehearsal_id', in: 'path', required: true, description: 'Its id', schema: text }],
      responses: { '200': rehearsal, ...refused },
    },
  },
};

const SUITES = {
  'base.ts': `
import { baseRequest } from '../generate/requests.ts';

export const createRehearsal = baseRequest({
  operation: 'createRehearsal',
  ready: () => ({ fields: { words: 'to be' } }),
});
`,
  'rehearsals.suite.ts': `
import { scenario } from '../../drive/scenario/scenario.ts';
import { listScenarios } from '../generate/list-scenarios.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { createdResource } from '../generate/resources.ts';

export const paging = listScenarios({
  operation: 'listRehearsals',
  element: async (context) => (await context.need('createRehearsal', { body: { words: 'not' } })).text('/id'),
});

export const lifecycle = lifecycleScenario({
  resource: createdResource('rehearsals'),
  prepare: () => Promise.resolve({ bodies: [{ words: 'to be' }] }),
});

export const streamed = scenario({
  name: 'rehearsals.streamed',
  family: 'models',
  operations: ['createRehearsal'],
  cost: ['free'],
  roles: [],
  run: async (context) => {
    await context.call('createRehearsal', { body: { words: 'to be or not', stream: true } });
  },
});
`,
  'stream.requirements.ts': `
import { setInEvent, lastEvent } from '../vocabulary/changes.ts';
import { textAt } from '../vocabulary/json.ts';
import { streams } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';

const { stated } = section('${SPEC}');

export const rehearsalsStreamNoEmptyLine = stated('rehearsals.stream.no-empty-line', {
  says: 'Each line of a rehearsal has words.',
  selector: streams('createRehearsal'),
  check: ({ chunks }) =>
    chunks
      .filter(({ data }) => textAt(data, 'words') === '')
      .map(({ at }) => violation(\`\${at} /words\`, 'words', '')),
  mutations: { 'the last without words': setInEvent('createRehearsal', lastEvent, '/words', '') },
});
`,
  'resources.json': JSON.stringify({
    $schema: '../data/resources.schema.json',
    resources: [
      {
        description: 'A made-up object.',
        area: 'rehearsals',
        noun: 'rehearsal',
        spec: SPEC,
        create: 'createRehearsal',
        retrieve: 'retrieveRehearsal',
        list: 'listRehearsals',
        moving: ['status'],
      },
    ],
  }),
  'states.json': JSON.stringify({
    $schema: '../data/states.schema.json',
    name: 'Rehearsal',
    spec: SPEC,
    objects: ['rehearsal'],
    createdBy: ['createRehearsal'],
    states: ['waiting', 'done'],
    transitions: [
      [null, 'waiting'],
      ['waiting', 'done'],
    ],
  }),
};

/** The family in the reference: an object is completed once it is retrieved. */
const REFERENCE = `
import { ApiError } from '../http/api-error.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { EventStreamResponse } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import { Collection } from '../state/collection.ts';

interface Rehearsal {
  readonly id: string;
  readonly object: 'rehearsal';
  readonly created_at: number;
  status: 'waiting' | 'done';
}

export const routes: Routes = (service) => {
  const all = new Collection<Rehearsal>();
  return [
    serves<{ readonly words: string; readonly stream?: boolean }>('createRehearsal', ({ body }) => {
      const created = all.add({ id: service.id('reh_'), object: 'rehearsal', created_at: service.now(), status: 'waiting' });
      if (body.stream !== true) return { ...created };
      const lines = body.words.split(' ').map((words) => ({ event: '', data: { object: 'rehearsal.line', words } }));
      return new EventStreamResponse(lines);
    }),
    serves('listRehearsals', ({ query }) => listEnvelope(listPage(all, query), (one) => one)),
    serves('retrieveRehearsal', ({ path }) => {
      const rehearsal = all.get(path['rehearsal_id'] ?? '');
      if (rehearsal === undefined) throw ApiError.missing('rehearsal', path['rehearsal_id'] ?? '');
      rehearsal.status = 'done';
      return { ...rehearsal };
    }),
  ];
};
`;

const copy = copySources();

function writeToCopy(file: string, content: string): void {
  const path = join(copy, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

beforeAll(() => {
  const openapi = JSON.parse(readFileSync(join(copy, 'schemas/openapi.json'), 'utf8'));
  Object.assign(openapi.paths, PATHS);
  writeToCopy('schemas/openapi.json', JSON.stringify(openapi));
  for (const [file, content] of Object.entries(SCHEMAS))
    writeToCopy(`schemas/${file}`, JSON.stringify(content));
  for (const [file, content] of Object.entries(SUITES)) writeToCopy(`suites/rehearsals/${file}`, content);
  writeToCopy('reference/rehearsals/rehearsals.routes.ts', REFERENCE);
});
// The copy is compiled, because each thread of a run would transform the sources again. Each step is a hook with its
// own time limit.
beforeAll(() => {
  runInCopy(copy, 'node scripts/build/build.mjs dist --for-tests');
});
beforeAll(() => {
  // The claim excludes scenarios of other families that declare `*` and might show a requirement incidentally.
  runInCopy(copy, "node dist/cli/main.js run --claim models --only '*ehearsal*'");
});
afterAll(() => rmSync(copy, { recursive: true }));

function readReport() {
  return JSON.parse(readFileSync(join(copy, 'assay-report/report.json'), 'utf8'));
}

test.each([
  ['the object', 'rehearsal:status#required'],
  ['the page of the list', 'rehearsal.list:data#required'],
  ['the elements after the cursor', 'listRehearsals.page.after'],
  ['the event of the stream', 'rehearsal.line:words#required'],
  ['the behaviour of the stream', 'rehearsals.stream.no-empty-line'],
  ['the relation between creation and list', 'rehearsals.list.as-made'],
  ['the refusal of an invalid request', 'createRehearsal:body.words#maxLength.rejected'],
  ['the acceptance of valid requests', 'createRehearsal:accepts'],
])('%s is judged', (_, id) => {
  const judged = readReport().requirements.find((one: { readonly id: string }) => one.id === id);
  expect(judged).toMatchObject({ verdict: 'pass' });
  expect(judged.observations).toBeGreaterThan(0);
});

test('the states of the new object are followed', () => {
  const machine = readReport().states.find((one: { readonly name: string }) => one.name === 'Rehearsal');
  expect(machine.ways).toContainEqual({
    from: 'waiting',
    to: 'done',
    kind: 'stated',
    seen: expect.toSatisfy((seen: number) => seen > 0),
  });
});
