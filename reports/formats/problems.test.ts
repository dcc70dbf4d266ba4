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

test('nothing is printed if nothing fails', () => {
  expect(problemLines(sampleReport('green').report)).toBe('');
});
