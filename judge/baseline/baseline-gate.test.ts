import { expect, test } from 'vitest';
import { failGateForBaseline } from './baseline-gate.ts';

const gate = { verdict: 'conforms', exitCode: 0, reasons: [] } as const;
const passing = { id: 'file:bytes#type', why: 'passes' } as const;

test('a baseline without problems does not change the gate', () => {
  expect(failGateForBaseline(gate, [])).toEqual(gate);
});

test('an unknown entry fails the gate', () => {
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
  const expired = (id: string, expires: string) => ({ id, why: 'expired', expires }) as const;
  const first = expired('a', '2026-11-19');
  const earlier = expired('d', '2026-11-18');
  const sameDay = ['b', 'c'].map((id) => expired(id, '2026-11-19'));
  const { exitCode, reasons } = failGateForBaseline(gate, [first, passing, earlier, ...sameDay]);
  expect(exitCode).toBe(1);
  expect(reasons).toEqual(
    [{ ...first, others: ['b', 'c'] }, earlier, passing].map((problem) => ({ kind: 'baseline', problem })),
  );
});
