import { expect, onTestFinished, test } from 'vitest';
import { type JsonSchema, schemaValidator, useExtensions } from './index.ts';

function validate(schema: JsonSchema, value: unknown) {
  const schemas = [{ name: 'choir.song', path: 'extensions/choir/choir.song.json', schema }];
  const facts = { name: 'choir', file: 'choir.json', digest: '0', patterns: new Map(), models: {} };
  useExtensions([{ ...facts, suites: [], operations: [], schemas, notices: [], exports: [] }]);
  onTestFinished(() => useExtensions([]));
  return schemaValidator('choir.song')(value).map(({ keyword, pointer }) => `${keyword} at ${pointer}`);
}

test.each([
  [null, []],
  [{ key: 'C' }, []],
  [{}, ['required at /key']],
  [1, ['type at ']],
])('a branch of a union may state its type in a part: %j', (value, violations) => {
  const part = { type: 'object', required: ['key'], properties: { key: {} } };
  expect(validate({ oneOf: [{ allOf: [part] }, { type: 'null' }] }, value)).toEqual(violations);
});

test.each([
  [{ kind: 'solo', size: 'one' }, []],
  [{ kind: 'solo', size: 1 }, ['type at /size']],
  [{ kind: 'duet', size: 2 }, []],
  [{ kind: 'trio' }, ['enum at /kind']],
])('a branch of a union may state its tag in a part: %j', (value, violations) => {
  const tagged = (kind: string) => ({ type: 'object', properties: { kind: { const: kind } } });
  const solo = { allOf: [tagged('solo')], properties: { size: { type: 'string' } } };
  const oneOf = [solo, tagged('duet')];
  expect(validate({ oneOf, discriminator: { propertyName: 'kind' } }, value)).toEqual(violations);
});
