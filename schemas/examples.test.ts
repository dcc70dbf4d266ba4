import { describe, expect, test } from 'vitest';
import { compile, examples, newAjv, schema, schemaNames, validator } from './index.ts';
import { constraints, covers, rules } from './testing/constraints.ts';

describe.each(schemaNames())('examples of %s', (name) => {
  const { valid, invalid } = examples(name);

  test('there are some of both', () => {
    expect(valid.length).toBeGreaterThan(0);
    expect(invalid.length).toBeGreaterThan(0);
  });

  test('what is valid keeps the schema', () => {
    expect(valid.map(({ why, value }) => [why, violations(name, value)])).toEqual(
      valid.map(({ why }) => [why, []]),
    );
  });

  test('what is invalid breaks the one thing that it says', () => {
    const found = invalid.map(({ why, value }) => [why, violations(name, value)]);
    expect(found).toEqual(invalid.map(({ why, breaks }) => [why, [breaks]]));
  });

  test('each constraint of the file is broken by one', () => {
    const broken = invalid.map(({ breaks }) => breaks);
    const missing = constraints(name).filter((each) => !broken.some((breaks) => covers(each, breaks)));
    expect(missing).toEqual([]);
  });

  test.each(rules(schema(name)))('rule $x-rule is broken by one', (rule) => {
    const keeps = newAjv().compile(rule);
    expect(invalid.filter(({ value }) => !keeps(value))).not.toEqual([]);
  });
});

test('a union narrowed to the branch that a value chooses says the same as the union as written', () => {
  const written = newAjv({ unions: 'written' });
  for (const name of schemaNames()) {
    const { valid, invalid } = examples(name);
    const keeps = compile(written, name);
    expect([name, valid.filter(({ value }) => !keeps(value))]).toEqual([name, []]);
    expect([name, invalid.filter(({ value }) => keeps(value))]).toEqual([name, []]);
  }
});

function violations(name: string, value: unknown): readonly string[] {
  return validator(name)(value).map(({ keyword, pointer }) => `${keyword} at ${pointer || '/'}`);
}
