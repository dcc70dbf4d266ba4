import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { problemLines } from './problems.ts';

/** VS Code's `$gcc` matcher: file, line, column, severity, message. */
const GCC = /^(.*?):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)$/;

test('each failure is one line that editors can parse, and points to its operation', () => {
  const lines = problemLines(sampleReport('broken').report).trimEnd().split('\n');
  const found = lines.map((line) => GCC.exec(line) ?? []);
  expect(found.map(([line]) => line)).toEqual(lines);
  const bytes = found.find(([line]) => line?.includes('[file:bytes#type]'));
  expect([bytes?.[4], bytes?.[5]]).toEqual([
    'error',
    expect.stringContaining('expected an integer, actual "12"'),
  ]);
  const text = readFileSync(bytes?.[1] ?? '', 'utf8').split('\n')[Number(bytes?.[2]) - 1];
  expect(text).toContain('"operationId": "');
  expect(new Set(found.map(([, , , , severity]) => severity))).toEqual(new Set(['error', 'warning']));
});

test('a gate that fails without a failing requirement has its reasons as errors', () => {
  const { report } = sampleReport('green');
  const reasons = ['29 MUSTs could not be decided', 'never exercised: createFile'];
  const undecided = {
    ...report,
    summary: { ...report.summary, exitCode: 2, verdict: 'cannot-tell', reasons },
  } as const;
  const found = problemLines(undecided)
    .split('\n')
    .slice(0, -1)
    .map((line) => GCC.exec(line) ?? []);
  expect(found.map(([, , line, , severity, message]) => [line, severity, message])).toEqual(
    reasons.map((reason) => ['1', 'error', `cannot tell: ${reason}`]),
  );
});

test('nothing is printed if nothing fails', () => {
  expect(problemLines(sampleReport('green').report)).toBe('');
});
