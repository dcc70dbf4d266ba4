import { rmSync } from 'node:fs';
import { afterAll, afterEach, expect, test } from 'vitest';
import { loadExtensions } from '../extension/load.ts';
import { CHOIR, songDocument, successResponse, writeExtension } from '../extension/testing/choir.ts';
import { createProjectWithExamples } from '../extension/testing/project.ts';
import { operation, schemaValidator } from '../schemas/index.ts';
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

test('a document without servers gets a notice about where its paths begin, one with servers or /v1 gets none', async () => {
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
