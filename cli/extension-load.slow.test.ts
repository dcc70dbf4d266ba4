import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { loadExtensions } from '../extension/load.ts';
import { CHOIR, songDocument, writeExtension } from '../extension/testing/choir.ts';
import { createProjectWithExamples } from '../extension/testing/project.ts';
import { operations } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { runAssay, spawnAssay } from './testing/run-assay.ts';

const project = createProjectWithExamples();
afterAll(() => rmSync(project, { recursive: true }));
afterEach(() => loadExtensions([]));

const createExtension = (files: Readonly<Record<string, string | object>>) => writeExtension(project, files);

function createSuiteExtension(source: string): string {
  return createExtension({
    'extension.json': { ...CHOIR, suites: ['choir.suite.mjs'] },
    'openapi.json': songDocument({ type: 'object' }),
    'choir.suite.mjs': `import { requests, scenario, section } from 'assay/suite';\n${source}`,
  });
}

const REQUIREMENT = `{ says: 'A song is sung.', selector: requests('choir.listSongs'), check: () => [], mutations: { silent: () => null } }`;
const SCENARIO = `{ name: 'choir.songs', family: 'choir', operations: ['choir.listSongs'], cost: ['free'], roles: [], run: async () => {} }`;

describe('an extension is rejected for', () => {
  test.each([
    ['a file that is not JSON', { 'extension.json': '{' }, 'is not valid JSON'],
    [
      'an unknown key',
      { 'extension.json': { ...CHOIR, suite: [] } },
      'must NOT have additional properties: suite',
    ],
    [
      'a name that assay itself uses',
      { 'extension.json': { ...CHOIR, name: 'chat' } },
      'the name chat is taken by assay itself',
    ],
    ['a missing file', { 'extension.json': CHOIR }, 'openapi.json, which cannot be read'],
    [
      'a document that is not JSON',
      { 'extension.json': CHOIR, 'openapi.json': '[1' },
      'openapi.json is not valid JSON',
    ],
    [
      'another version of OpenAPI',
      { 'extension.json': CHOIR, 'openapi.json': { openapi: '3.0.3' } },
      'is OpenAPI 3.0.3; an extension needs OpenAPI 3.1',
    ],
    [
      'a path without a slash',
      {
        'extension.json': CHOIR,
        'openapi.json': { openapi: '3.1.0', paths: { songs: { get: { operationId: 'listSongs' } } } },
      },
      'songs: a path must begin with a slash',
    ],
    [
      'a path with an open brace',
      {
        'extension.json': CHOIR,
        'openapi.json': { openapi: '3.1.0', paths: { '/songs/{id': { get: { operationId: 'getSong' } } } },
      },
      '/songs/{id: braces must enclose a whole segment with a name',
    ],
    [
      'a reference that leads nowhere',
      { 'extension.json': CHOIR, 'openapi.json': songDocument({ $ref: '#/components/schemas/Song' }) },
      'the reference #/components/schemas/Song leads nowhere',
    ],
    [
      'a reference with an invalid escape',
      { 'extension.json': CHOIR, 'openapi.json': songDocument({ $ref: '#/components/%' }) },
      'the reference #/components/% leads nowhere',
    ],
    [
      'a reference to another file',
      { 'extension.json': CHOIR, 'openapi.json': songDocument({ $ref: 'song.json' }) },
      'bundle the document into one file',
    ],
    [
      'schemas that only refer to each other',
      {
        'extension.json': CHOIR,
        'openapi.json': songDocument(
          { $ref: '#/components/schemas/A' },
          { A: { $ref: '#/components/schemas/B' }, B: { allOf: [{ $ref: '#/components/schemas/A' }] } },
        ),
      },
      'refers to itself without going into a property',
    ],
    [
      'a parameter that refers to itself',
      {
        'extension.json': CHOIR,
        'openapi.json': {
          ...songDocument({ type: 'object' }, {}, { parameters: [{ $ref: '#/components/parameters/P' }] }),
          components: { parameters: { P: { $ref: '#/components/parameters/P' } } },
        },
      },
      'leads back to itself',
    ],
    [
      'a schema that is not valid',
      {
        'extension.json': CHOIR,
        'openapi.json': songDocument({ type: 'object', properties: { a: { type: 'text' } } }),
      },
      'the schema is not valid',
    ],
    [
      'a pattern that is not a regular expression',
      {
        'extension.json': CHOIR,
        'openapi.json': songDocument({
          type: 'object',
          properties: { a: { type: 'string', pattern: '(a' } },
        }),
      },
      'openapi.json: the pattern (a is not a regular expression',
    ],
    [
      'an operation that assay already has',
      {
        'extension.json': CHOIR,
        'openapi.json': { openapi: '3.1.0', paths: { '/v1/models': { get: { operationId: 'listAll' } } } },
      },
      'assay already has this operation: listModels',
    ],
  ])('%s', async (_, files, problem) => {
    await expect(loadExtensions([createExtension(files)])).rejects.toMatchObject({
      name: 'ExtensionError',
      message: expect.stringContaining(problem),
    });
    expect(operations()).toHaveLength(63);
  });

  test.each([
    [
      'the same id twice',
      `const { stated } = section('choir'); export const a = stated('choir.songs.sung', ${REQUIREMENT}); export const b = stated('choir.songs.sung', ${REQUIREMENT});`,
      'two exports of its suites have the id choir.songs.sung',
    ],
    [
      'the same scenario twice',
      `export const a = scenario(${SCENARIO}); export const b = scenario(${SCENARIO});`,
      'have the id scenario choir.songs',
    ],
    [
      'an id that begins with another name',
      `export const a = section('choir').stated('songs.all.sung', ${REQUIREMENT});`,
      'songs.all.sung does not begin with choir.',
    ],
    [
      'an unknown operation',
      `export const a = scenario({ ...${SCENARIO}, operations: ['listSongs'] });`,
      'names the operation listSongs, which is unknown',
    ],
    [
      'a requirement that is a plain object',
      `export const a = ${REQUIREMENT};`,
      'exports an object that is not a requirement',
    ],
    ['an empty object', 'export default {};', 'or equivalent mutant: it is empty.'],
    [
      'a misspelt key',
      `export const a = section('choir').stated('choir.songs.all', ${REQUIREMENT.replace('says:', 'sais:')});`,
      'The declaration of choir.songs.all has no `says`, only level, spec, sais, selector, check, mutations, id, basis',
    ],
    ['a module that throws', `throw new Error('out of tune');`, 'cannot be loaded: out of tune'],
    ['a module that is not JavaScript', `export const = 1;`, 'cannot be loaded'],
  ])('%s in a suite', async (_, source, problem) => {
    await expect(loadExtensions([createSuiteExtension(source)])).rejects.toMatchObject({
      name: 'ExtensionError',
      message: expect.stringContaining(problem),
    });
  });

  test('the name of another extension', async () => {
    const paths = [1, 2].map(() => createExtension({ 'extension.json': { format: 1, name: 'choir' } }));
    await expect(loadExtensions(paths)).rejects.toThrow('Two extensions are named choir');
  });
});

test('an object that a suite exports under two names, or again from another module, is in the catalogue once', async () => {
  const suites = ['choir.suite.mjs', 'again.suite.mjs'];
  const path = createExtension({
    'extension.json': { ...CHOIR, suites },
    'openapi.json': songDocument({ type: 'object' }),
    'choir.suite.mjs': `import { requests, scenario, section } from 'assay/suite';
      export const songs = scenario(${SCENARIO}); export default songs;
      export const sung = section('choir').stated('choir.songs.sung', ${REQUIREMENT});`,
    'again.suite.mjs': `export * from './choir.suite.mjs';`,
  });
  await loadExtensions([path]);
  const all = await catalogue();
  expect(all.scenarios.filter(({ name }) => name === 'choir.songs')).toHaveLength(1);
  const ids = all.requirementSets.flatMap(({ requirements }) => requirements.map(({ id }) => id));
  expect(ids.filter((id) => id === 'choir.songs.sung')).toHaveLength(1);
});

test('a suite that ends the process, even behind a symbolic link, is reported as one that cannot be loaded', async () => {
  const link = join(project, 'link');
  symlinkSync(dirname(createSuiteExtension('process.exit(0);')), link);
  const result = await spawnAssay(['list', '--extension', join(link, 'extension.json')]);
  expect(result).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /choir\.suite\.mjs cannot be loaded: .*choir\.suite\.mjs calls process\.exit/,
    ),
  });
});

test('an unknown name of a shipped extension is an error that lists the known ones', async () => {
  expect(await runAssay(['list', '--extension', 'assay:embedings'], { cwd: project })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'assay:embedings is not an extension of assay, which has assay:embeddings, assay:rerank: name one of these, or a file.',
    ),
  });
});
