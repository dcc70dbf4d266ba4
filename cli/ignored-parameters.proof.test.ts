import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { EFFECTS } from '../reports/effects.ts';
import { operation, schema } from '../schemas/index.ts';
import { isJsonObject } from '../schemas/json.ts';
import { catalogue } from '../suites/index.ts';
import { verdictsOnFaultyService } from './testing/faulty-service.ts';

const all = await catalogue();

const PAGE = readFileSync('docs/ignored-parameters.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| create/.test(line))
  .map((line) => {
    const [, operation = '', fields = '', noticedBy = '', how = ''] = line
      .split('|')
      .map((cell) => cell.trim());
    return { operation, fields: codeIn(fields), noticedBy: codeIn(noticedBy)[0] ?? '', how: how || 'open' };
  });

function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function fieldsOf(id: string): readonly string[] {
  return operation(id).variants.flatMap(({ body }) => {
    const { properties } = body === null ? {} : schema(body.schema);
    return isJsonObject(properties) ? Object.keys(properties) : [];
  });
}

test('the page has the rows of the table of support', () => {
  expect(PAGE).toEqual(
    EFFECTS.map(({ operation, fields, noticedBy, how }) => ({ operation, fields, noticedBy, how })),
  );
});

test('the page has every field of the operations', () => {
  const operations = [...new Set(EFFECTS.map((row) => row.operation))];
  expect(operations).toHaveLength(8);
  const missing = operations.flatMap((id) =>
    fieldsOf(id).filter((name) => !EFFECTS.some((row) => row.operation === id && row.fields.includes(name))),
  );
  expect(missing).toEqual([]);
});

test('the page names requirements, choices, exclusions and alternatives that exist', () => {
  const requirements = requirementsOf(all);
  const open = [...all.choices, ...all.exclusions].map(({ id }) => id);
  const unknown = EFFECTS.filter(({ noticedBy, how }) =>
    how === 'open' ? !open.includes(noticedBy) : !requirements.has(noticedBy),
  );
  expect(unknown).toEqual([]);
  const alternatives = new Map(all.choices.map((one) => [one.id, one.alternatives]));
  const shown = EFFECTS.flatMap(({ noticedBy, shows, permits, also }) => [
    ...[shows, permits].flatMap((taken) => (taken === undefined ? [] : [{ choice: noticedBy, taken }])),
    ...(also?.taken === undefined ? [] : [{ choice: also.choice, taken: also.taken }]),
  ]);
  expect(shown.filter(({ choice, taken }) => !alternatives.get(choice)?.includes(taken))).toEqual([]);
});

const VERDICTS: Readonly<Record<string, string>> = { ignored: 'fail', undecided: 'inconclusive' };

test.concurrent.each(EFFECTS.filter(({ how }) => how in VERDICTS))(
  '$noticedBy detects that $operation ignores $fields',
  async ({ operation: id, fields, noticedBy, how }) => {
    const fault = fields.map((field) => `ignore:${id}.${field}`).join();
    const verdicts = await verdictsOnFaultyService(fault, noticedBy, all);
    expect(verdicts.find((one) => one.id === noticedBy)?.verdict).toBe(VERDICTS[how]);
  },
);
