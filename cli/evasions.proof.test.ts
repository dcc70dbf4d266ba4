import { expect, test } from 'vitest';
import { evaluateGate } from '../judge/verdict/gate.ts';
import type { Judgement } from '../judge/verdict/verdict.ts';
import { knownFaults } from '../reference/faults/known.ts';
import { catalogue } from '../suites/index.ts';
import { judgeFaultyService } from './testing/faulty-service.ts';

const wholeCatalogue = await catalogue();
const evasions = knownFaults.filter(({ hides }) => hides !== undefined);
const ids = evasions.map(({ id }) => id);
const hidden = evasions.flatMap(({ hides }) => hides ?? []);

function decideExitCode(judgement: Judgement): number {
  return evaluateGate(judgement, { failOn: 'must', allowInconclusive: false }).exitCode;
}

test('there are twelve evasions', () => expect(ids).toHaveLength(12));

test.concurrent.each(evasions)('a service with the evasion $id does not pass', async ({ id, hides = '' }) => {
  const judgement = await judgeFaultyService(id, [hides], wholeCatalogue);
  const found = judgement.requirements.find((one) => one.id === hides);
  expect(found?.verdict).toMatch(/^(fail|inconclusive)$/);
  expect(decideExitCode(judgement)).not.toBe(0);
});

test.concurrent('a service with all evasions does not pass, nor does anything that they hide', async () => {
  const judgement = await judgeFaultyService(ids.join(), hidden, wholeCatalogue);
  expect(decideExitCode(judgement)).not.toBe(0);
  const verdicts = new Map(judgement.requirements.map(({ id, verdict }) => [id, verdict]));
  expect(hidden.filter((id) => verdicts.get(id) === 'pass' || verdicts.get(id) === 'untested')).toEqual([]);
});

test.concurrent('a service without evasions passes everything that they hide', async () => {
  const judgement = await judgeFaultyService(undefined, hidden, wholeCatalogue);
  expect(decideExitCode(judgement)).toBe(0);
  const verdicts = new Map(judgement.requirements.map(({ id, verdict }) => [id, verdict]));
  expect(hidden.filter((id) => verdicts.get(id) !== 'pass')).toEqual([]);
});
