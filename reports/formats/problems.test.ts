import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { problemLines } from './problems.ts';

/** VS Code's `$gcc` matcher: file, line, column, severity, message. */
const GCC = /^(.*?):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)$/;

test('each failure that no cause explains is one line that editors can parse, and points to its operation', () => {
  const lines = problemLines(sampleReport('broken').report).trimEnd().split('\n');
  const found = lines.map((line) => GCC.exec(line) ?? []);
  expect(found.map(([line]) => line)).toEqual(lines);
  expect(lines.map((line) => / \[(\S+)\]$/.exec(line)?.[1])).toEqual([
    'listModels:answer#json',
    'chat.stream.finish-reason-ends-choice',
    'file:bytes#type',
    'listModels:answer#contentType',
  ]);
  const bytes = found.find(([line]) => line?.includes('[file:bytes#type]'));
  expect([bytes?.[4], bytes?.[5]]).toEqual([
    'error',
    expect.stringContaining('expected an integer, actual "12"'),
  ]);
  const contract = readFileSync(bytes?.[1] ?? '', 'utf8').split('\n');
  expect(found.map(([, , line]) => contract[Number(line) - 1])).toEqual(
    ['listModels', 'createChatCompletion', 'listFiles', 'listModels'].map((id) =>
      expect.stringContaining(`"operationId": "${id}"`),
    ),
  );
  expect(found.map(([, , , , severity]) => severity)).toEqual(['error', 'error', 'error', 'warning']);
});

test('a choice that violates its pin is an error, with the alternative that was taken', () => {
  const { report } = sampleReport('broken');
  const choice = { id: 'chat.free', spec: '2', says: 'Which.', consistent: true, pinned: 'a' };
  const errors = listErrors({ ...report, choices: [{ ...choice, taken: ['b'], exchanges: ['e3'] }] });
  expect(errors).toHaveLength(4);
  expect(errors[0]).toContain('expected "a", pinned by the dialect, actual "b" (e3). [chat.free]');
});

test('a gate that fails without a failing requirement has the reasons that fail it as errors', () => {
  const { report } = sampleReport('green');
  const failing = [
    [{ kind: 'inconclusive', count: 29 }, '29 MUSTs could not be decided'],
    [{ kind: 'not-exercised', operations: ['createFile'] }, 'never exercised: createFile'],
  ] as const;
  const others = [
    [{ kind: 'clients', count: 1, operations: [], tolerated: true }, 'which --tolerate clients accepts'],
    [{ kind: 'known-failures', count: 1 }, 'with 1 known failure'],
    [{ kind: 'baseline', problem: { id: 'a', why: 'passes' } }, 'the baseline lists a, which passes now'],
  ] as const;
  const all = [...failing, ...others];
  const causes = all.map(([cause]) => cause);
  const reasons = all.map(([, reason]) => reason);
  const undecided = {
    ...report,
    summary: { ...report.summary, exitCode: 2, verdict: 'cannot-tell', causes, reasons },
  } as const;
  const found = problemLines(undecided)
    .split('\n')
    .slice(0, -1)
    .map((line) => GCC.exec(line) ?? []);
  expect(found.map(([, , line, , severity]) => [line, severity])).toEqual(failing.map(() => ['1', 'error']));
  expect(found.map(([, , , , , message]) => message?.replace(/^cannot tell.*?: /, ''))).toEqual(
    failing.map(([, reason]) => reason),
  );
});

function listErrors(report: Report): readonly string[] {
  return problemLines(report)
    .split('\n')
    .filter((line) => line.includes(': error: '));
}

test.each([
  ['a report', { strictBaseline: true }],
  ['an older report, without `strictBaseline`', {}],
])('in %s, a strict gate that also fails for another reason has both reasons as errors', (_, strict) => {
  const { report } = sampleReport('green');
  const { strictBaseline: __, ...older } = report.summary;
  const causes = [
    { kind: 'baseline', problem: { id: 'a', why: 'passes' } },
    { kind: 'inconclusive', count: 29 },
  ] as const;
  const reasons = ['the baseline lists a, which passes now', '29 MUSTs could not be decided'];
  const failure = { exitCode: 1, verdict: 'does-not-conform', causes, reasons } as const;
  const summary = { ...older, ...failure, ...strict };
  expect(listErrors({ ...report, summary })).toEqual(reasons.map((why) => expect.stringContaining(why)));
});

test('an older report, without `strictBaseline`, that only a strict gate fails has the stale entry as an error', () => {
  const { report } = sampleReport('green');
  const { strictBaseline: _, ...older } = report.summary;
  const causes = [{ kind: 'baseline', problem: { id: 'a', why: 'passes' } }] as const;
  const reason = 'the baseline lists a, which passes now';
  const summary = { ...older, exitCode: 1, verdict: 'does-not-conform', causes, reasons: [reason] } as const;
  expect(listErrors({ ...report, summary })).toEqual([expect.stringContaining(reason)]);
});

test('nothing is printed if nothing fails', () => {
  expect(problemLines(sampleReport('green').report)).toBe('');
});
