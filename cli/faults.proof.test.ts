import { expect, test } from 'vitest';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { knownFaults as faults } from '../reference/faults/known.ts';
import { operation } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { verdictsOnFaultyService } from './testing/faulty-service.ts';
import { runAssay } from './testing/run-assay.ts';

const all = await catalogue();

test.concurrent.each(faults.filter(({ requirement }) => requirement !== null))(
  '$id breaks $requirement and nothing else',
  async ({ id, requirement }) => {
    const verdicts = await verdictsOnFaultyService(id, requirement ?? '', all);
    const found = verdicts.find((verdict) => verdict.id === requirement);
    const broken = verdicts.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
    const expected = found?.level === 'SHOULD' ? 'warn' : 'fail';
    expect([found?.verdict, found?.cause]).toEqual([expected, null]);
    expect(broken.map((verdict) => verdict.id)).toEqual([requirement]);
  },
);

test('without a fault, the scenarios of a requirement fail nothing, and it passes', async () => {
  const verdicts = await verdictsOnFaultyService(undefined, 'chat.stream.done-ends-stream', all);
  expect(verdicts.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')).toEqual([]);
  expect(verdicts.find(({ id }) => id === 'chat.stream.done-ends-stream')?.verdict).toBe('pass');
});

test('fault ids are distinct, and the operations and requirements that faults name exist', () => {
  const requirements = requirementsOf(all);
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  expect(faults.filter(({ requirement }) => requirement !== null && !requirements.has(requirement))).toEqual(
    [],
  );
  expect(() => faults.flatMap(({ on }) => on).map(operation)).not.toThrow();
});

test('serve --fault list prints all faults, each with what it breaks', async () => {
  const { code, stdout } = await runAssay(['serve', '--fault', 'list']);
  expect(code).toBe(0);
  const missing = faults.filter(({ id, says, requirement }) => {
    const breaks = requirement === null ? '' : `      breaks ${requirement}\n`;
    return !stdout.includes(`  ${id}  ${says}\n${breaks}`);
  });
  expect(missing).toEqual([]);
});
