import { expect, test } from 'vitest';
import { baselineLines } from './baseline-lines.ts';

const WRITTEN = {
  ...{ path: 'known.json', isWritten: true, entries: 19, changes: null, unfilled: 0 },
  ...{ failures: 1, consequences: 2, undecided: 0, left: [], expired: [] },
  ...{ causes: { entries: 0, requirements: 0 }, unseen: 0 },
} as const;
const FOR_SERVICE = { side: undefined, isRun: true };
const formatFirstLine = (changes: Parameters<typeof baselineLines>[0]['changes']) =>
  baselineLines({ ...WRITTEN, changes }, FOR_SERVICE, null).split('\n')[0];

test('the line on a new file counts the known failures that it accepts', () => {
  expect(formatFirstLine(null)).toBe(
    'wrote 19 entries to known.json for 1 known failure and 2 more for shared causes',
  );
});

test('kept, added, changed and removed entries of an earlier file are counted separately', () => {
  const changes = { kept: 18, added: 1, changed: [], removed: [] };
  const shown = 'this traffic shows 1 known failure and 2 more for shared causes';
  expect(formatFirstLine(changes)).toBe(`wrote 19 entries to known.json: 18 kept, 1 added; ${shown}`);
  expect(formatFirstLine({ ...changes, added: 0, changed: ['a'], removed: ['b', 'c'] })).toBe(
    `wrote 19 entries to known.json: 18 kept, 1 changed (a), 2 removed (b, c); ${shown}`,
  );
});

test('the line says why the number of entries differs from the number of failures that they accept', () => {
  const formatLineWith = (over: Partial<Parameters<typeof baselineLines>[0]>) =>
    baselineLines({ ...WRITTEN, consequences: 0, ...over }, FOR_SERVICE, null).split('\n')[0];
  const two = { entries: 17, failures: 16, causes: { entries: 2, requirements: 1 } };
  expect(formatLineWith(two)).toBe(
    'wrote 17 entries to known.json for 16 known failures (2 entries for the causes of 1 requirement)',
  );
  expect(formatLineWith({ ...two, entries: 19, unseen: 2 })).toMatch(
    / \(2 entries for the causes of 1 requirement, 2 entries of which this traffic shows nothing\)$/,
  );
  const fault = { entries: 1, failures: 0, undecided: 42, causes: { entries: 1, requirements: 42 } };
  expect(formatLineWith(fault)).toMatch(
    /for 42 MUSTs that could not be decided \(1 entry for the cause of 42 requirements\)$/,
  );
  expect(formatLineWith({ entries: 16, failures: 16 })).toMatch(/ 16 known failures$/);
});

test('the next step is to pass a baseline file, unless runs already use it without a flag', () => {
  const findNextSteps = (standing: string | null, unfilled = 0) =>
    baselineLines({ ...WRITTEN, unfilled }, FOR_SERVICE, standing)
      .split('\n')
      .filter((line) => line.startsWith('next: '));
  const use = 'pass --baseline known.json, or set "baseline": "known.json" in assay.config.json';
  expect([findNextSteps(null), findNextSteps('other.json')]).toEqual([[`next: ${use}`], [`next: ${use}`]]);
  expect(findNextSteps('./known.json')).toEqual([]);
  const fill =
    'next: fill in 2 reasons in the file (or write it again with --baseline-reason TEXT), because a run with an entry without a reason exits with 2';
  expect([findNextSteps('known.json', 2), findNextSteps(null, 2)]).toEqual([
    [fill],
    [`${fill}, then ${use}`],
  ]);
});

test('expired entries are named, and the step is the last line', () => {
  const expired = ['a', 'b', 'c', 'd', 'e'];
  const lines = baselineLines({ ...WRITTEN, expired, unfilled: 1 }, FOR_SERVICE, 'known.json').split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^wrote 19 entries /),
    'expired: 5 entries, not kept: a, b, c, d and 1 more; what this traffic still shows has new entries, which expire, too',
    expect.stringMatching(/^next: fill in 1 reason in the file /),
  ]);
});

test('a MUST that is left out can be decided by another run or, for other traffic, by another recording', () => {
  const left = [{ id: 'files.content.as-sent', kind: 'capacity' }] as never; // as: no other members are read
  const formatLeft = (isRun: boolean) =>
    baselineLines({ ...WRITTEN, left }, { side: undefined, isRun }, null).split('\n')[1];
  expect(formatLeft(true)).toMatch(
    /: files\.content\.as-sent; run again to decide it, or pass --allow-inconclusive$/,
  );
  expect(formatLeft(false)).toMatch(/; record again to decide it, or pass --allow-inconclusive$/);
});
