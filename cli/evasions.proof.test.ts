import { expect, test } from 'vitest';
import { evaluateGate } from '../judge/verdict/gate.ts';
import type { Judgement } from '../judge/verdict/verdict.ts';
import { knownFaults } from '../reference/faults/known.ts';
import { catalogue } from '../suites/index.ts';
import { judgeFaultyService } from './testing/faulty-service.ts';

const all = await catalogue();
const evasions = knownFaults.filter(({ hides }) => hides !== undefined);
const ids = evasions.map(({ id }) => id);
const hidden = evasions.flatMap(({ hides }) => hides ?? []);

function exitCodeOf(judgement: Judgement): number {
  return evaluateGate(judgement, { failOn: 'must', allowInconclusive: false }).exitCode;
}

test('there are twelve evasions', () => expect(ids).toHaveLength(12));

test.concurrent.each(evasions)('the evasion $id is not green', async ({ id, hides = '' }) => {
  const judgement = await judgeFaultyService(id, [hides], all);
  const found = judgement.requirements.find((one) => one.id === hides);
  expect(found?.verdict).toMatch(/^(fail|inconclusive)$/);
  expect(exitCodeOf(judgement)).not.toBe(0);
});

test('all evasions together are not green, and without them everything that they hide passes', async () => {
  const [faulty, clean] = await Promise.all([
    judgeFaultyService(ids.join(), hidden, all),
    judgeFaultyService(undefined, hidden, all),
  ]);
  expect(exitCodeOf(faulty)).not.toBe(0);
  expect(exitCodeOf(clean)).toBe(0);
  const verdicts = new Map(faulty.requirements.map(({ id, verdict }) => [id, verdict]));
  expect(hidden.filter((id) => verdicts.get(id) === 'pass' || verdicts.get(id) === 'untested')).toEqual([]);
  const passed = new Map(clean.requirements.map(({ id, verdict }) => [id, verdict]));
  expect(hidden.filter((id) => passed.get(id) !== 'pass')).toEqual([]);
});
