import { rmSync } from 'node:fs';
import { afterAll, afterEach, expect, test } from 'vitest';
import { loadExtensions } from '../extension/load.ts';
import { CHOIR, songDocument, successResponse, writeExtension } from '../extension/testing/choir.ts';
import { createProjectWithExamples } from '../extension/testing/project.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { operation, operations, schemaNames, schemaValidator } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { runAssay } from './testing/run-assay.ts';

const project = createProjectWithExamples();
afterAll(() => rmSync(project, { recursive: true }));
afterEach(() => loadExtensions([]));

const createExtension = (files: Readonly<Record<string, string | object>>) => writeExtension(project, files);

async function loadPattern(pattern: string): Promise<(text: string) => readonly string[]> {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern } } };
  await loadExtensions([createExtension({ 'extension.json': CHOIR, 'openapi.json': songDocument(schema) })]);
  return (text) =>
    schemaValidator('choir.listSongs.response')({ a: text }).map(
      ({ pointer, keyword }) => `${pointer} ${keyword}`,
    );
}

test('a pattern judges a hostile text in linear time', async () => {
  const findViolations = await loadPattern('^(a+)+$');
  // JavaScript's engine would try 2^50000 paths.
  expect(findViolations(`${'a'.repeat(50_000)}!`)).toEqual(['/a pattern']);
  expect(findViolations('a'.repeat(50_000))).toEqual([]);
});

test('a pattern has the syntax of JSON Schema', async () => {
  const findViolations = await loadPattern('^\\S.$');
  expect(findViolations('ab')).toEqual([]);
  // RE2's own syntax accepts these two texts, but JSON Schema rejects them.
  expect(['\u00a0b', 'a\r'].map(findViolations)).toEqual([['/a pattern'], ['/a pattern']]);
});

test('a pattern that cannot run in linear time is listed as not judged, and the rest of its schema is judged', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(?!b)', maxLength: 2 } } };
  await loadExtensions([createExtension({ 'extension.json': CHOIR, 'openapi.json': songDocument(schema) })]);
  const { exclusions } = await catalogue();
  expect(exclusions.filter(({ id }) => id.startsWith('choir.'))).toEqual([
    expect.objectContaining({
      id: 'choir.listSongs.response:a#pattern',
      reason: expect.stringContaining('The pattern ^(?!b) cannot run in linear time'),
    }),
  ]);
  const check = schemaValidator('choir.listSongs.response');
  expect([check({ a: 'b' }), check({ a: 'abc' })]).toMatchObject([[], [{ keyword: 'maxLength' }]]);
});

test('a document gets a notice about where its paths begin only if it has neither servers nor /v1 in its paths', async () => {
  const readNotices = async (more: object) => {
    const files = {
      'extension.json': CHOIR,
      'openapi.json': { ...songDocument({ type: 'object' }), ...more },
    };
    const { code, stderr } = await runAssay(['list', '--extension', createExtension(files)]);
    expect(code).toBe(0);
    return stderr;
  };
  const paths = { '/songs': { get: { operationId: 'listSongs', ...successResponse({ type: 'object' }) } } };
  expect(await readNotices({ paths })).toMatch(
    /openapi\.json names no servers, so its paths begin at the root of the host: GET \/songs, not GET \/v1\/songs\./,
  );
  expect(await readNotices({ paths, servers: [{ url: '/' }] })).toBe('');
  expect(await readNotices({ paths, servers: [{ url: 'http://127.0.0.1:8000/v1' }] })).toBe('');
  expect(await readNotices({})).toBe('');
});

test('a parameter of an operation replaces that of its path with the same name and place', async () => {
  const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
  const document = songDocument({ type: 'object' }, {}, { parameters: [query('limit', { maximum: 5 })] });
  const item = document.paths['/v1/songs'];
  const shared = [
    query('limit', { maximum: 9, not: {} }, { required: true }),
    { ...query('limit', {}), in: 'path', required: true },
    query('key', { type: 'string' }),
  ];
  const paths = { '/v1/songs/{limit}': { ...item, parameters: shared } };
  await loadExtensions([
    createExtension({ 'extension.json': CHOIR, 'openapi.json': { ...document, paths } }),
  ]);
  expect(operation('choir.listSongs').parameters).toEqual([
    { name: 'limit', in: 'query', required: false, schema: { maximum: 5 } },
    { name: 'limit', in: 'path', required: true, schema: {} },
    { name: 'key', in: 'query', required: false, schema: { type: 'string' } },
  ]);
  const { exclusions } = await catalogue();
  expect(exclusions.filter(({ id }) => id.startsWith('choir.'))).toEqual([]);
});

test('anyOf next to oneOf is listed as not judged, and oneOf is judged', async () => {
  const a = {
    oneOf: [{ type: 'string' }, { type: 'null' }],
    anyOf: [{ type: 'string' }, { type: 'number' }],
  };
  const schema = { type: 'object', properties: { a } };
  await loadExtensions([createExtension({ 'extension.json': CHOIR, 'openapi.json': songDocument(schema) })]);
  const { exclusions } = await catalogue();
  expect(exclusions.filter(({ id }) => id.startsWith('choir.'))).toEqual([
    expect.objectContaining({
      id: 'choir.listSongs.response:a#anyOf',
      reason: 'Assay judges one union of a schema, and this one has oneOf as well.',
    }),
  ]);
  const check = schemaValidator('choir.listSongs.response');
  expect([check({ a: null }), check({ a: 1 })]).toMatchObject([[], [{ pointer: '/a' }]]);
});

test('a recursive schema is judged to any depth in a response', async () => {
  const node = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      parts: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    },
  };
  const files = {
    'extension.json': CHOIR,
    'openapi.json': songDocument({ $ref: '#/components/schemas/Node' }, { Node: node }),
  };
  await loadExtensions([createExtension(files)]);
  const song = { name: 'a', parts: [{ name: 'b', parts: [{}] }] };
  expect(schemaValidator('choir.Node')(song)).toEqual([
    { pointer: '/parts/0/parts/0/name', keyword: 'required', message: "must have required property 'name'" },
  ]);
});

test('keywords of a recursive request that cannot be judged are listed', async () => {
  const filter = {
    type: 'object',
    properties: {
      not: { $ref: '#/components/schemas/Filter' },
      by: { anyOf: [{ type: 'string' }, { type: 'string', pattern: '^a' }] },
    },
  };
  const schema = { $ref: '#/components/schemas/Filter' };
  const post = {
    operationId: 'findSongs',
    requestBody: { content: { 'application/json': { schema, example: {} } } },
    ...successResponse({ type: 'object' }),
  };
  const document = {
    openapi: '3.1.0',
    paths: { '/v1/songs': { post } },
    components: { schemas: { Filter: filter } },
  };
  await loadExtensions([createExtension({ 'extension.json': CHOIR, 'openapi.json': document })]);
  const { exclusions } = await catalogue();
  expect(exclusions.filter(({ id }) => id.startsWith('choir.')).map(({ id }) => id)).toEqual([
    'choir.findSongs.request:not#$ref',
    'choir.findSongs.request:by#anyOf',
  ]);
});

test('an operation and a referenced schema each have their own section of requirements', async () => {
  const body = {
    type: 'object',
    properties: { key: { type: 'string' }, song: { $ref: '#/components/schemas/Song' } },
  };
  const post = {
    operationId: 'transpose',
    summary: 'Transpose',
    requestBody: { content: { 'application/json': { schema: body, example: { key: 'a' } } } },
    ...successResponse({ $ref: '#/components/schemas/Song' }),
  };
  const Song = { type: 'object', properties: { name: { type: 'string' } } };
  const document = { openapi: '3.1.0', paths: { '/v1/songs': { post } }, components: { schemas: { Song } } };
  await loadExtensions([createExtension({ 'extension.json': CHOIR, 'openapi.json': document })]);
  const requirements = [...requirementsOf(await catalogue()).values()];
  const specOf = (id: string) => requirements.find((one) => one.id === id)?.spec;
  for (const id of [':accepts', ':body.key#type.rejected', ':answer#json'])
    expect([id, specOf(`choir.transpose${id}`)]).toEqual([id, 'choir Transpose']);
  expect(specOf('choir.Song:name#type')).toBe('choir Song');
});

test('only the schemas that operations refer to are read from a document of five megabytes', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`field_${i}`, { type: 'string', description: 'A field.' }]),
  );
  const schemas = Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`Schema${i}`, { type: 'object', properties }]),
  );
  const paths = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [
      `/v1/songs/${i}`,
      {
        get: { operationId: `getSong${i}`, ...successResponse({ $ref: `#/components/schemas/Schema${i}` }) },
      },
    ]),
  );
  const text = JSON.stringify({ openapi: '3.1.0', paths, components: { schemas } });
  expect(text.length).toBeGreaterThan(5_000_000);
  await loadExtensions([createExtension({ 'extension.json': CHOIR, 'openapi.json': text })]);
  expect(operations()).toHaveLength(163);
  expect(schemaNames().filter((name) => name.startsWith('choir.'))).toHaveLength(100);
});
