import { describe, expect, test } from 'vitest';
import type { Cause } from '../../judge/verdict/cause.ts';
import type { Finding, Verdict } from '../../judge/verdict/verdict.ts';
import { changesSection } from '../html/changes.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { causeWords } from '../words/cause.ts';
import { coloursFor } from '../words/colours.ts';
import { compareReports } from './compare.ts';
import { comparisonText } from './comparison-text.ts';

const { report } = sampleReport('green');

function createRequirement(
  verdict: Verdict,
  cause: Cause | null = null,
  signatures: string[] = [],
): ReportedRequirement {
  const findings = signatures.map(
    (signature): Finding => ({ at: '', expected: '', exchange: 'e1', signature }),
  );
  const base = report.requirements[0];
  if (base === undefined) throw new Error('the sample has a requirement');
  const reason = cause === null ? null : causeWords(cause);
  return { ...base, id: 'a.b.c', verdict, reason, cause, findings, findingsTotal: findings.length };
}

function reportWith(...requirements: ReportedRequirement[]): Report {
  return { ...report, requirements };
}

function compareVerdicts(before: ReportedRequirement, after: ReportedRequirement): string {
  const comparison = compareReports(reportWith(before), reportWith(after));
  const groups = ['worse', 'better', 'unjudged', 'other'] as const;
  return groups.find((name) => comparison[name].length > 0) ?? 'same';
}

describe('the change of a verdict', () => {
  test.for([
    ['pass', 'pass', 'same'],
    ['pass', 'warn', 'worse'],
    ['pass', 'fail', 'worse'],
    ['warn', 'fail', 'worse'],
    ['excused', 'fail', 'worse'],
    ['untested', 'fail', 'worse'],
    ['fail', 'pass', 'better'],
    ['fail', 'warn', 'better'],
    ['warn', 'pass', 'better'],
    ['untested', 'pass', 'better'],
    ['fail', 'untested', 'unjudged'],
    ['pass', 'untested', 'worse'],
    ['pass', 'inconclusive', 'worse'],
    ['untested', 'inconclusive', 'other'],
  ] as const)('%s → %s is %s', ([before, after, expected]) => {
    expect(compareVerdicts(createRequirement(before), createRequirement(after))).toBe(expected);
  });
});

test('a requirement is not worse if options leave it out, and worse if the target no longer offers it', () => {
  expect(
    compareVerdicts(
      createRequirement('pass'),
      createRequirement('untested', { kind: 'not-claimed', family: null }),
    ),
  ).toBe('unjudged');
  expect(
    compareVerdicts(
      createRequirement('pass'),
      createRequirement('untested', { kind: 'not-implemented', operations: [] }),
    ),
  ).toBe('worse');
});

test('a requirement that breaks in another way is worse; one that breaks in fewer ways is the same', () => {
  expect(
    compareVerdicts(createRequirement('fail', null, ['x']), createRequirement('fail', null, ['y'])),
  ).toBe('worse');
  expect(
    compareVerdicts(createRequirement('fail', null, ['x', 'y']), createRequirement('fail', null, ['y'])),
  ).toBe('same');
});

test('added and removed requirements are listed, and an added failure does not count as worse', () => {
  const comparison = compareReports(reportWith(), reportWith(createRequirement('fail')));
  expect(comparison.added).toEqual([expect.objectContaining({ id: 'a.b.c', how: 'fail' })]);
  expect(comparison.worse).toEqual([]);
  expect(compareReports(reportWith(createRequirement('pass')), reportWith()).gone).toHaveLength(1);
});

test('a changed choice is reported', () => {
  const choice = { id: 'c', spec: '2 Files', says: 'Order.', consistent: true };
  const before = { ...report, choices: [{ ...choice, taken: ['newest first'] }] };
  const after = { ...report, choices: [{ ...choice, taken: ['oldest first'] }] };
  expect(compareReports(before, after).choices[0]?.how).toBe('newest first → oldest first');
  expect(compareReports(before, before).choices).toEqual([]);
});

test('the comparison has the approved text', async () => {
  const text = comparisonText(
    compareReports(sampleReport('green').report, sampleReport('broken').report),
    coloursFor('off'),
  );
  await expect(text).toMatchFileSnapshot('../samples/green-broken.compare.txt');
});

test('requirements that are no longer judged, or gone, are listed and counted', () => {
  const before = reportWith(createRequirement('fail', null, ['x']), {
    ...createRequirement('pass'),
    id: 'd.e.f',
  });
  const text = comparisonText(
    compareReports(before, reportWith(createRequirement('untested', { kind: 'no-evidence' }))),
    coloursFor('off'),
  );
  expect(text).toContain('no longer judged (1)\n  fail → untested (no-evidence)  a.b.c');
  expect(text).toContain('requirements gone (1)');
  expect(text).toContain('0 worse, 0 better, 1 no longer judged, 0 new, 1 gone');
});

describe('more changes than are shown', () => {
  const verdicts: readonly Verdict[] = ['inconclusive', 'warn', 'fail', 'untested'];
  const requirementsWith = (verdictOf: (n: number) => Verdict) =>
    Array.from({ length: 120 }, (_, n) => ({ ...createRequirement(verdictOf(n)), id: `a.${n}` }));
  const comparison = compareReports(
    reportWith(...requirementsWith(() => 'pass')),
    reportWith(...requirementsWith((n) => verdicts[n % 4] ?? 'pass')),
  );

  test('failures come first, then warnings, and undecided requirements last', () => {
    const hows = comparison.worse.map(({ how }) => how);
    expect([...new Set(hows)]).toEqual(
      ['fail', 'warn', 'inconclusive', 'untested'].map((to) => `pass → ${to}`),
    );
    expect(hows.lastIndexOf('pass → fail')).toBe(29);
    expect(hows.lastIndexOf('pass → warn')).toBe(59);
    expect(comparison.worse.slice(0, 3).map(({ id }) => id)).toEqual(['a.2', 'a.6', 'a.10']);
  });

  test('the text lists 50 of them, and names the option that prints the others', () => {
    const few = comparisonText(comparison, coloursFor('off'));
    expect(few).toContain('\n  … and 70 more, which --all prints\n');
    expect(few.match(/pass → /g)).toHaveLength(50);
    const all = comparisonText(comparison, coloursFor('off'), Infinity);
    expect(all.match(/pass → /g)).toHaveLength(120);
    expect(all).not.toContain('more');
  });

  test('the page lists all of them, those beyond the first 40 folded', () => {
    const { text } = changesSection(comparison);
    const [unfolded = '', folded = ''] = text.split('<details class="fold"><summary>and 80 more</summary>');
    expect([unfolded, folded].map((part) => part.match(/<li>/g)?.length)).toEqual([40, 80]);
    expect(unfolded.match(/pass → fail/g)).toHaveLength(30);
  });
});
