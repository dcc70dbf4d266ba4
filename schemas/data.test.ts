import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type JsonSchema, operations, resolveRef, schema, schemaNames, type Variant } from './index.ts';
import { isObject } from './json.ts';
import { resolveSchema, subschemasOf } from './testing/subschemas.ts';

const ajv = new Ajv2020({ allowUnionTypes: true });

describe.each(schemaNames())('%s', (name) => {
  const root = schema(name);

  test('has a dialect, a title, a description and the section that states it', () => {
    expect(root['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(root).toMatchObject({ title: expect.any(String), description: expect.any(String) });
    expect(root['x-spec']).toMatch(/^[12] [A-Z][A-Za-z -]+$/);
  });

  test('distinguishes the branches of each union', () => {
    expect(
      subschemasOf(root).filter((part) => Array.isArray(part['oneOf']) && !areDistinguishable(name, part)),
    ).toEqual([]);
  });

  test('is open to fields that it does not list', () => {
    expect(subschemasOf(root).filter((part) => part['additionalProperties'] === false)).toEqual([]);
  });

  test('has no anyOf', () => {
    expect(subschemasOf(root).filter((part) => 'anyOf' in part)).toEqual([]);
  });

  test('requires and expects only fields that it lists, and none twice', () => {
    for (const { required = [], 'x-expected': expected = [], properties } of subschemasOf(root)) {
      const names = [required, expected].flat();
      expect(new Set(names).size).toBe(names.length);
      expect(Object.keys(Object(properties))).toEqual(expect.arrayContaining(names));
    }
  });

  test('has defaults that fit the type, values and bounds next to them', () => {
    const broken = subschemasOf(root).filter(({ type, enum: values, minimum, maximum, default: value }) => {
      const stated = Object.entries({ type, enum: values, minimum, maximum }).filter(
        ([, keyword]) => keyword !== undefined,
      );
      return value !== undefined && !ajv.validate(Object.fromEntries(stated), value);
    });
    expect(broken).toEqual([]);
  });
});

test('every schema is reachable from the table of operations, or is a line of a file', () => {
  const reached = new Set(operations().flatMap(({ variants }) => variants.flatMap(schemaNamesOf)));
  for (const name of reached) for (const ref of refsIn(schema(name))) reached.add(resolveRef(name, ref).name);
  expect(schemaNames().filter((name) => !reached.has(name))).toEqual([
    'batch.error',
    'batch.input',
    'batch.output',
  ]);
});

/**
 * Whether the branches of a union can be told apart: by distinct values of a tag, where one branch may take all
 * remaining values, or by distinct JSON types.
 */
function areDistinguishable(name: string, union: JsonSchema): boolean {
  const branches = [union['oneOf']]
    .flat()
    .filter(isObject)
    .map((branch) => resolveSchema(name, branch));
  const { discriminator } = union;
  if (!isObject(discriminator)) {
    const types = branches.flatMap(({ type }) => type).map((type) => (type === 'integer' ? 'number' : type));
    return new Set(types).size === types.length && types.every((type) => typeof type === 'string');
  }
  const tags = branches.map(({ properties }) => Object(properties)[String(discriminator['propertyName'])]);
  const tagValues = tags.flatMap((tag) => tag.const ?? []);
  const excludedValues = tags.flatMap((tag) => (tag.not ? [tag.not.enum] : []));
  return (
    new Set(tagValues).size === tagValues.length &&
    tagValues.length + excludedValues.length === branches.length &&
    (excludedValues.length === 0 || JSON.stringify(excludedValues) === JSON.stringify([tagValues]))
  );
}

function schemaNamesOf({ body, answers }: Variant): readonly string[] {
  const shapes = answers.flatMap((answer) => [answer.schema ?? [], Object.values(answer.events ?? {})]);
  return [body?.schema ?? [], shapes].flat(3);
}

function refsIn(root: JsonSchema): readonly string[] {
  return subschemasOf(root).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
}
