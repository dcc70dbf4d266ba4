import { expect, test } from 'vitest';
import { failGateForBaseline } from './baseline-gate.ts';

const gate = { verdict: 'conforms', exitCode: 0, reasons: [] } as const;
const passing = { id: 'file:bytes#type', why: 'passes' } as const;

test('an unknown entry fails the gate, which does not change without problems', () => {
  expect(failGateForBaseline(gate, [])).toEqual(gate);
  const problem = { id: 'x', why: 'unknown' } as const;
  expect(failGateForBaseline(gate, [problem])).toEqual({
    verdict: 'does-not-conform',
    exitCode: 1,
    reasons: [{ kind: 'baseline', problem }],
  });
});

test('an entry whose failure is gone is reported, and fails only a strict gate', () => {
  expect(failGateForBaseline(gate, [passing])).toEqual({
    ...gate,
    reasons: [{ kind: 'baseline', problem: passing }],
  });
  expect(failGateForBaseline(gate, [passing], { isStrict: true })).toMatchObject({ exitCode: 1 });
});

test('entries that expired on the same day are one reason', () => {
  const [first, second, third] = ['a', 'b', 'c'].map(
    (id) => ({ id, why: 'expired', expires: '2026-11-19' }) as const,
  );
  const earlier = { id: 'd', why: 'expired', expires: '2026-11-18' } as const;
  const { exitCode, reasons } = failGateForBaseline(
    gate,
    [first, passing, earlier, second, third].flatMap((problem) => problem ?? []),
  );
  expect(exitCode).toBe(1);
  expect(reasons).toEqual(
    [{ ...first, others: ['b', 'c'] }, earlier, passing].map((problem) => ({ kind: 'baseline', problem })),
  );
});
