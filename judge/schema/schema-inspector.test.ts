import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { propertyRuns } from '../../exchange/testing/property-runs.ts';
import { resolveRef, schema, schemaValidator } from '../../schemas/index.ts';
import { buildInlineTree } from './build-tree.ts';
import { responseConstraints, responseInspector, responseTrees } from './response-schemas.ts';
import { SchemaInspector, type VisitCounts } from './schema-inspector.ts';
import { conditionalRuleIn } from './sentence.ts';
import { walkTree } from './walk.ts';

const trees = responseTrees();
const constraints = responseConstraints();
const samples = readExamples();

describe('the inspector', () => {
  test('finds no broken MUST in the valid examples', () => {
    for (const { name, value } of samples) expect([name, listBrokenMusts(name, value)]).toEqual([name, []]);
  });

  test('agrees with the plain walk on damaged examples, except for rules across properties', () => {
    fc.assert(
      fc.property(fc.constantFrom(...samples), damage(), ({ name, value }, applyDamage) => {
        const broken = applyDamage(value);
        expect(inspect(name, broken)).toEqual(walk(name, broken));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test('agrees with the original schema on whether a value is valid', () => {
    fc.assert(
      fc.property(fc.constantFrom(...samples), damage(), ({ name, value }, applyDamage) => {
        const broken = applyDamage(value);
        expect(listBrokenMusts(name, broken).length === 0).toBe(schemaValidator(name)(broken).length === 0);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

test.each([
  [0.3, 0.1, true],
  [19.99, 0.01, true],
  [123_456.7, 0.1, true],
  [0.35, 0.1, false],
  [7, 2, false],
  [1_048_577, 1_048_576, false],
  [1, 10_000_000, false],
])('whether %f is a multiple of %f is judged in decimals: %s', (value, multipleOf, isMultiple) => {
  const tree = buildInlineTree({ schema, resolveRef }, { type: 'number', multipleOf }, '2');
  const inspector = new SchemaInspector(new Map([['price', tree]]));
  const inspected = inspector.inspect('price', value, inspector.createVisitCounts());
  const walked: string[] = [];
  walkTree(new Map([['price', tree]]), 'price', value, { visit: () => {}, breach: (id) => walked.push(id) });
  expect([inspected.length === 0, walked.length === 0]).toEqual([isMultiple, isMultiple]);
});

function listBrokenMusts(name: string, value: Json): string[] {
  const inspector = responseInspector();
  const violations = inspector.inspect(name, value, inspector.createVisitCounts());
  return violations.map(({ id }) => id).filter((id) => constraints.get(id)?.level === 'MUST');
}

interface Observation {
  readonly breaches: readonly string[];
  readonly visits: readonly (readonly [string, number])[];
}

function inspect(name: string, value: Json): Observation {
  const inspector = responseInspector();
  const visits = inspector.createVisitCounts();
  const violations = inspector.inspect(name, value, visits).filter(({ id }) => !isRule(id));
  return { breaches: violations.map(({ id, at }) => `${id} ${at}`).sort(), visits: countVisits(visits) };
}

function walk(name: string, value: Json): Observation {
  const inspector = responseInspector();
  const visits = inspector.createVisitCounts();
  const breaches: string[] = [];
  walkTree(trees, name, value, {
    visit: (node, here) => visits.add(inspector.numberOf(node), here),
    breach: (id, at) => breaches.push(`${id} ${at}`),
  });
  return { breaches: breaches.sort(), visits: countVisits(visits) };
}

function countVisits(visits: VisitCounts): Observation['visits'] {
  const inspector = responseInspector();
  return [...constraints]
    .filter(([id]) => !isRule(id))
    .map(([id, { node, kinds }]) => [id, visits.count(inspector.numberOf(node), kinds)] as const)
    .filter(([, count]) => count > 0);
}

function isRule(id: string): boolean {
  return conditionalRuleIn(constraints.get(id)?.value) !== null;
}

function damage(): fc.Arbitrary<(value: Json) => Json> {
  const oddValue = fc.constantFrom<Json>(
    null,
    true,
    0,
    -1,
    1.5,
    3,
    '',
    'text',
    'x'.repeat(600),
    [],
    ['a', 'a'],
    {},
    { type: 'text' },
  );
  const step = fc.nat({ max: 40 });
  return fc
    .tuple(fc.array(step, { maxLength: 5 }), oddValue, fc.constantFrom('replace', 'remove', 'add'))
    .map(
      ([path, replacement, how]) =>
        (value) =>
          change(value, path, replacement, how),
    );
}

function change(value: Json, path: readonly number[], replacement: Json, how: string): Json {
  const [first, ...rest] = path;
  if (typeof value !== 'object' || value === null || first === undefined)
    return how === 'remove' ? value : replacement;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(keys.length, 1)];
  if (Array.isArray(value)) {
    if (key === undefined || how === 'add') return [...value, replacement];
    return value.map((item: Json, i) => (String(i) === key ? change(item, rest, replacement, how) : item));
  }
  const entries: [string, Json][] = Object.entries(value);
  if (rest.length === 0 && how === 'add') return Object.fromEntries([...entries, ['added', replacement]]);
  if (rest.length === 0 && how === 'remove')
    return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === key ? change(item, rest, replacement, how) : item]),
  );
}

function readExamples(): { name: string; value: Json }[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve('#schemas/openapi.json')), 'examples');
  return readdirSync(folder)
    .map((file) => file.replace(/\.json$/, ''))
    .filter((name) => trees.get(name)?.typed)
    .flatMap((name) => {
      // as: the files of examples have this form
      const { valid } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as {
        valid: { value: Json }[];
      };
      return valid.map(({ value }) => ({ name, value }));
    });
}
