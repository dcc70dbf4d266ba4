import { expect, test } from 'vitest';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { knownFaults } from '../reference/faults/known.ts';
import { operation } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { verdictsOnFaultyService } from './testing/faulty-service.ts';

const all = await catalogue();

test.concurrent.each(knownFaults.filter(({ requirement }) => requirement !== null))(
  'the fault $id is detected by $requirement',
  async ({ id, requirement }) => {
    const verdicts = await verdictsOnFaultyService(id, requirement ?? '', all);
    const found = verdicts.find((verdict) => verdict.id === requirement);
    expect(found?.verdict).toBe(found?.level === 'SHOULD' ? 'warn' : 'fail');
  },
);

test('a requirement passes without a fault', async () => {
  const verdicts = await verdictsOnFaultyService(undefined, 'chat.stream.done-ends-stream', all);
  expect(verdicts.find(({ id }) => id === 'chat.stream.done-ends-stream')?.verdict).toBe('pass');
});

test('fault ids are distinct, and the operations and requirements that faults name exist', () => {
  const requirements = requirementsOf(all);
  expect(new Set(knownFaults.map(({ id }) => id)).size).toBe(knownFaults.length);
  expect(
    knownFaults.filter(({ requirement }) => requirement !== null && !requirements.has(requirement)),
  ).toEqual([]);
  expect(() => knownFaults.flatMap(({ on }) => on).map(operation)).not.toThrow();
});
