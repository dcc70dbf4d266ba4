import { expect, test } from 'vitest';
import type { Verdict } from '../../judge/verdict/verdict.ts';
import { compareReports } from '../comparison/compare.ts';
import { sampleReport } from '../testing/sample.ts';
import { markdownReport, pullRequestComment } from './markdown.ts';

test.for(['broken', 'green', 'nothing'] as const)('the %s sample has the approved text', async (name) => {
  const { report, evidence } = sampleReport(name);
  await expect(markdownReport(report, evidence)).toMatchFileSnapshot(`../samples/${name}.summary.md`);
});

test('the summary fits in a comment on GitHub, however many requirements fail', () => {
  const { report, evidence } = sampleReport('broken');
  const many = Array.from({ length: 3000 }, (_, n) => ({ ...report.requirements[0], id: `chat.rule-${n}` }));
  expect(markdownReport({ ...report, requirements: many as never }, evidence).length).toBeLessThan(65_536); // as: the sample has requirements
});

test('text of the target cannot leave its code fence', () => {
  const { report, evidence } = sampleReport('broken');
  const first = report.requirements[0];
  const finding = { ...first?.findings[0], actual: '```\n</details><img src=x>' };
  const requirements = [{ ...first, findings: [finding] }] as never; // as: the sample has requirements
  expect(markdownReport({ ...report, requirements }, evidence)).toContain('````text');
});

test('Markdown in the sentence of a requirement is escaped', () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = [{ ...report.requirements[0], says: 'a <b> | `c`' }] as never; // as: the sample has requirements
  expect(markdownReport({ ...report, requirements }, evidence)).toContain('a &lt;b&gt; &#124; &#96;c&#96;');
});

test('failures that a baseline accepts are folded below their reason, by id', () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = report.requirements.map((one) =>
    one.verdict === 'fail' ? { ...one, baseline: 'mended in 2.0, see <link>' } : one,
  );
  const text = markdownReport({ ...report, requirements }, evidence);
  expect(text).toContain('<summary>4 known failures: mended in 2.0, see &lt;link&gt;</summary>');
  expect(text).toContain('- `chat.stream.finish-reason-ends-choice`\n- `file:bytes#type`\n');
});

test('the comment on a pull request says what is new, fixed and still broken compared with the baseline', () => {
  const { report } = sampleReport('broken');
  const requirements = report.requirements.map((one) =>
    one.id === 'file:bytes#type' ? { ...one, baseline: 'mended in 2.0' } : one,
  );
  const gone = { kind: 'baseline', problem: { id: 'model:id#type', why: 'passes' } } as const;
  const summary = { ...report.summary, causes: [...report.summary.causes, gone] };
  const text = pullRequestComment({ ...report, requirements, summary });
  expect(text).toMatch(/^### assay: does not conform/);
  expect(text).toMatch(
    /\n\*\*4 new\*\*\n\n- (?:.*\n- )*chat\.stream\.finish-reason-ends-choice: The finish_reason/,
  );
  expect(text).toContain('\n**1 fixed**\n\n- model:id#type: model: id is a string.\n');
  expect(text).toMatch(
    /<summary>1 still broken<\/summary>\n\n- file:bytes#type: file: bytes is an integer\.\n/,
  );
  expect(text.slice(0, text.indexOf('fixed**'))).not.toContain('file:bytes#type');
});

test('the comment on a pull request calls an accepted undecided MUST not decided, and one that passes now decided', () => {
  const { report } = sampleReport('broken');
  const requirements = report.requirements
    .filter(({ id }) => id === 'files.content.as-sent' || id === 'model:id#type')
    .map((one) => (one.verdict === 'inconclusive' ? { ...one, baseline: 'too slow' } : one));
  const problem = { id: 'model:id#type', why: 'decided' } as const;
  const summary = { ...report.summary, causes: [{ kind: 'baseline', problem }] as const };
  const text = pullRequestComment({ ...report, requirements, summary, diagnoses: [] });
  expect(text).toContain('\n**1 decided**\n\n- model:id#type: model: id is a string.\n');
  expect(text).toContain('<summary>1 still not decided</summary>\n\n- files.content.as-sent: ');
  expect(text).not.toMatch(/fixed|still broken/);
});

test('the comment on a pull request compares with an earlier report, if there is one', () => {
  const { report } = sampleReport('broken');
  const passing = (id: string) => ({
    ...report,
    requirements: report.requirements.map((one) =>
      one.id === id ? { ...one, verdict: 'pass' as const, findings: [] } : one,
    ),
  });
  const [before, after] = [passing('file:bytes#type'), passing('listModels:answer#json')];
  const text = pullRequestComment(after, compareReports(before, after));
  expect(text).toContain('\n**1 worse**\n\n- file:bytes#type: file: bytes is an integer. (pass → fail)\n');
  expect(text).toContain('\n**1 better**\n\n- listModels:answer#json: ');
  expect(text).toMatch(
    /<summary>3 other failures<\/summary>\n\n- (?:.*\n- )*chat\.stream\.finish-reason-ends-choice/,
  );
});

test('the comment on a pull request lists nothing for a run without failures', () => {
  const { report } = sampleReport('green');
  expect(pullRequestComment(report)).toBe(
    '### assay: conforms\n\n**1 of 1 requirements pass, 2 of 2 operations exercised**\n',
  );
});

test('a requirement that is worse or better without a new or fixed failure is called neither new nor fixed', () => {
  const { report } = sampleReport('broken');
  const judgedAs = (first: Verdict, second: Verdict) => ({
    ...report,
    requirements: report.requirements.slice(0, 2).map((one, n) => ({
      ...one,
      verdict: n === 0 ? first : second,
      findings: [],
      reason: null,
    })),
  });
  const [before, after] = [judgedAs('pass', 'fail'), judgedAs('untested', 'warn')];
  const [, , ...blocks] = pullRequestComment(after, compareReports(before, after)).split('\n\n');
  const [first, second] = report.requirements.map(({ id }) => id);
  expect(blocks.slice(-4)).toEqual([
    '**1 worse**',
    expect.stringMatching(`^- ${first}: .*\\(pass → untested\\)$`),
    '**1 better**',
    expect.stringMatching(`^- ${second}: .*\\(fail → warn\\)\n$`),
  ]);
});
