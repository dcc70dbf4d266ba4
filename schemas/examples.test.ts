import { describe, expect, test } from 'vitest';
import { compileSchema, createAjv, schema, schemaNames, schemaValidator } from './index.ts';
import { coversConstraint, crossFieldRules, statedConstraints } from './testing/constraints.ts';
import { type FileSketches, schemaExamples } from './testing/examples.ts';
import { brokenRules, makeFile, type TestFile } from './testing/files.ts';
import { subschemasOf } from './testing/subschemas.ts';

const ajv = createAjv({ ajv: { validateSchema: true } });

describe.each(schemaNames())('examples of %s', (name) => {
  const { valid, invalid } = schemaExamples(name);

  test('some are valid, and some are invalid', () => {
    expect(valid.length).toBeGreaterThan(0);
    expect(invalid.length).toBeGreaterThan(0);
  });

  test('valid examples conform to the schema', () => {
    expect(valid.map(({ why, value }) => [why, findViolations(name, value)])).toEqual(
      valid.map(({ why }) => [why, []]),
    );
  });

  test('each invalid example breaks only the constraint that it names', () => {
    const found = invalid.map(({ why, value }) => [why, findViolations(name, value)]);
    expect(found).toEqual(invalid.map(({ why, breaks }) => [why, [breaks]]));
  });

  test('each constraint of the schema is broken by an invalid example', () => {
    const broken = invalid.map(({ breaks }) => breaks);
    const missing = statedConstraints(name).filter(
      (constraint) => !broken.some((breaks) => coversConstraint(constraint, breaks)),
    );
    expect(missing).toEqual([]);
  });

  const rules = crossFieldRules(schema(name)).map((rule) => ({ id: rule['x-rule'], rule }));
  test.each(rules)('rule $id is broken by an invalid example', ({ rule }) => {
    const validate = ajv.compile(rule);
    expect(invalid.filter(({ value }) => !validate(value))).not.toEqual([]);
  });
});

describe.each(schemaNames().filter(hasFiles))('files of %s', (name) => {
  const { valid, invalid } = schemaExamples(name).files;

  test.each(valid)('$why conforms', ({ parts }) => {
    expect(brokenRules(name, makeFiles(parts))).toEqual([]);
  });

  test.each(invalid)('$why breaks $breaks', ({ breaks, parts }) => {
    expect(brokenRules(name, makeFiles(parts))).toEqual([breaks]);
  });

  test('each rule of a file is broken by exactly one invalid example', () => {
    const stated = Object.entries(Object(schema(name)['properties'])).flatMap(([part, property]) =>
      Object.keys(Object(Object(property)['x-file'])).map((rule) => `${rule} at /${part}`),
    );
    expect(invalid.map(({ breaks }) => breaks).sort()).toEqual(stated.sort());
  });
});

test('the original unions, not narrowed to the branch that a value selects, accept and reject the same examples', () => {
  const originalUnions = createAjv({ unions: 'written' });
  for (const name of schemaNames()) {
    const { valid, invalid } = schemaExamples(name);
    const validate = compileSchema(originalUnions, name);
    expect([name, valid.filter(({ value }) => !validate(value))]).toEqual([name, []]);
    expect([name, invalid.filter(({ value }) => validate(value))]).toEqual([name, []]);
  }
});

function findViolations(name: string, value: unknown): readonly string[] {
  return schemaValidator(name)(value).map(({ keyword, pointer }) => `${keyword} at ${pointer || '/'}`);
}

function hasFiles(name: string): boolean {
  return subschemasOf(schema(name)).some((part) => 'x-file' in part);
}

function makeFiles(sketches: FileSketches): Readonly<Record<string, TestFile>> {
  return Object.fromEntries(Object.entries(sketches).map(([part, sketch]) => [part, makeFile(sketch)]));
}
