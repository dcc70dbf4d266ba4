import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { EFFECTS } from '../reports/effects.ts';
import { operation, schema } from '../schemas/index.ts';
import { isJsonObject } from '../schemas/json.ts';
import { catalogue } from '../suites/index.ts';
import { verdictsOnFaultyService } from './testing/faulty-service.ts';

const wholeCatalogue = await catalogue();

const PAGE_ROWS = readFileSync('docs/ignored-parameters.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| create/.test(line))
  .map((line) => {
    const [, operation = '', fields = '', noticedBy = '', how = ''] = line
      .split('|')
      .map((cell) => cell.trim());
    return {
      operation,
      fields: listCode(fields),
      noticedBy: listCode(noticedBy)[0] ?? '',
      how: how || 'open',
    };
  });

function listCode(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function listFields(id: string): readonly string[] {
  return operation(id).variants.flatMap(({ body }) => {
    const { properties } = body === null ? {} : schema(body.schema);
    return isJsonObject(properties) ? Object.keys(properties) : [];
  });
}

test('the page has the rows of the table of support', () => {
  expect(PAGE_ROWS).toEqual(
    EFFECTS.map(({ operation, fields, noticedBy, how }) => ({ operation, fields, noticedBy, how })),
  );
});

test('the table of support has every field of its operations', () => {
  const operations = [...new Set(EFFECTS.map((row) => row.operation))];
  expect(operations).toHaveLength(8);
  const missing = operations.flatMap((id) =>
    listFields(id).filter(
      (name) => !EFFECTS.some((row) => row.operation === id && row.fields.includes(name)),
    ),
  );
  expect(missing).toEqual([]);
});

test('the table of support names requirements, choices, exclusions and alternatives that exist', () => {
  const requirements = requirementsOf(wholeCatalogue);
  const open = [...wholeCatalogue.choices, ...wholeCatalogue.exclusions].map(({ id }) => id);
  const unknown = EFFECTS.filter(({ noticedBy, how }) =>
    how === 'open' ? !open.includes(noticedBy) : !requirements.has(noticedBy),
  );
  expect(unknown).toEqual([]);
  const alternatives = new Map(wholeCatalogue.choices.map((one) => [one.id, one.alternatives]));
  const named = EFFECTS.flatMap(({ noticedBy, shows, permits, also }) => [
    ...[shows, permits].map((alternative) => ({ choice: noticedBy, alternative })),
    { choice: also?.choice ?? '', alternative: also?.taken },
  ]).filter(({ alternative }) => alternative !== undefined);
  expect(named.length).toBeGreaterThan(0);
  expect(
    named.filter(({ choice, alternative = '' }) => !alternatives.get(choice)?.includes(alternative)),
  ).toEqual([]);
});

const VERDICTS: Readonly<Record<string, string>> = { ignored: 'fail', undecided: 'inconclusive' };

test.concurrent.each(EFFECTS.filter(({ how }) => how in VERDICTS))(
  '$noticedBy does not pass on a service whose $operation ignores $fields',
  async ({ operation: id, fields, noticedBy, how }) => {
    const fault = fields.map((field) => `ignore:${id}.${field}`).join();
    const verdicts = await verdictsOnFaultyService(fault, noticedBy, wholeCatalogue);
    expect(verdicts.find((one) => one.id === noticedBy)?.verdict).toBe(VERDICTS[how]);
  },
);
