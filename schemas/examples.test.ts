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
    expect(valid.map(({ why, value }) => [why, violations(name, value)])).toEqual(
      valid.map(({ why }) => [why, []]),
    );
  });

  test('each invalid example breaks only the constraint that it names', () => {
    const found = invalid.map(({ why, value }) => [why, violations(name, value)]);
    expect(found).toEqual(invalid.map(({ why, breaks }) => [why, [breaks]]));
  });

  test('each constraint of the file is broken by one', () => {
    const broken = invalid.map(({ breaks }) => breaks);
    const missing = statedConstraints(name).filter(
      (each) => !broken.some((breaks) => coversConstraint(each, breaks)),
    );
    expect(missing).toEqual([]);
  });

  test.each(crossFieldRules(schema(name)))('rule $x-rule is broken by one', (rule) => {
    const keeps = ajv.compile(rule);
    expect(invalid.filter(({ value }) => !keeps(value))).not.toEqual([]);
  });
});

describe.each(schemaNames().filter(hasFiles))('files of %s', (name) => {
  const { valid, invalid } = schemaExamples(name).files;

  test.each(valid)('$why', ({ parts }) => {
    expect(brokenRules(name, makeFiles(parts))).toEqual([]);
  });

  test.each(invalid)('$why breaks $breaks', ({ breaks, parts }) => {
    expect(brokenRules(name, makeFiles(parts))).toEqual([breaks]);
  });

  test('each rule of a file is broken by one', () => {
    const stated = Object.entries(Object(schema(name)['properties'])).flatMap(([part, each]) =>
      Object.keys(Object(Object(each)['x-file'])).map((rule) => `${rule} at /${part}`),
    );
    expect(invalid.map(({ breaks }) => breaks).sort()).toEqual(stated.sort());
  });
});

test('a union narrowed to the branch that a value chooses is equivalent to the original union', () => {
  const written = createAjv({ unions: 'written' });
  for (const name of schemaNames()) {
    const { valid, invalid } = schemaExamples(name);
    const keeps = compileSchema(written, name);
    expect([name, valid.filter(({ value }) => !keeps(value))]).toEqual([name, []]);
    expect([name, invalid.filter(({ value }) => keeps(value))]).toEqual([name, []]);
  }
});

function violations(name: string, value: unknown): readonly string[] {
  return schemaValidator(name)(value).map(({ keyword, pointer }) => `${keyword} at ${pointer || '/'}`);
}

function hasFiles(name: string): boolean {
  return subschemasOf(schema(name)).some((part) => 'x-file' in part);
}

function makeFiles(sketches: FileSketches): Readonly<Record<string, TestFile>> {
  return Object.fromEntries(Object.entries(sketches).map(([part, sketch]) => [part, makeFile(sketch)]));
}
