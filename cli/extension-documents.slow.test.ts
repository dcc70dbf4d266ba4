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

test('a pattern judges a hostile text in linear time, with the syntax of JSON Schema', async () => {
  const text = { type: 'string', pattern: '^(a+)+$' };
  const schema = { type: 'object', properties: { a: text, b: { type: 'string', pattern: '^\\S.$' } } };
  await loadExtensions([createExtension({ 'extension.json': CHOIR, 'openapi.json': songDocument(schema) })]);
  const findViolations = (value: object) =>
    schemaValidator('choir.listSongs.response')(value).map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  // JavaScript's engine would try 2^50000 paths.
  expect(findViolations({ a: `${'a'.repeat(50_000)}!` })).toEqual(['/a pattern']);
  expect(findViolations({ a: 'a'.repeat(50_000), b: 'ab' })).toEqual([]);
  // RE2's own syntax accepts these two texts, but JSON Schema rejects them.
  expect([findViolations({ b: '\u00a0b' }), findViolations({ b: 'a\r' })]).toEqual([
    ['/b pattern'],
    ['/b pattern'],
  ]);
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
  const printNotices = async (more: object) => {
    const files = {
      'extension.json': CHOIR,
      'openapi.json': { ...songDocument({ type: 'object' }), ...more },
    };
    const { code, stderr } = await runAssay(['list', '--extension', createExtension(files)]);
    expect(code).toBe(0);
    return stderr;
  };
  const paths = { '/songs': { get: { operationId: 'listSongs', ...successResponse({ type: 'object' }) } } };
  expect(await printNotices({ paths })).toMatch(
    /openapi\.json names no servers, so its paths begin at the root of the host: GET \/songs, not GET \/v1\/songs\./,
  );
  expect(await printNotices({ paths, servers: [{ url: '/' }] })).toBe('');
  expect(await printNotices({ paths, servers: [{ url: 'http://127.0.0.1:8000/v1' }] })).toBe('');
  expect(await printNotices({})).toBe('');
});

test('a parameter of an operation replaces that of its path with the same name and place', async () => {
  const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
  const document = songDocument({ type: 'object' }, {}, { parameters: [query('limit', { maximum: 5 })] });
  const item = document.paths['/v1/songs'];
  const shared = [
    query('limit', { maximum: 9, not: {} }, { required: true }),
    { ...query('limit', {}), in: 'header' },
    query('key', { type: 'string' }),
  ];
  const paths = { '/v1/songs': { ...item, parameters: shared } };
  await loadExtensions([
    createExtension({ 'extension.json': CHOIR, 'openapi.json': { ...document, paths } }),
  ]);
  expect(operation('choir.listSongs').parameters).toEqual([
    { name: 'limit', in: 'query', required: false, schema: { maximum: 5 } },
    { name: 'key', in: 'query', required: false, schema: { type: 'string' } },
  ]);
  const { exclusions } = await catalogue();
  expect(exclusions.filter(({ id }) => id.startsWith('choir.'))).toEqual([]);
});

test('anyOf beside oneOf is listed as not judged, and oneOf is judged', async () => {
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
