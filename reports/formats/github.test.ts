import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { githubAnnotations, githubError } from './github.ts';

test('the annotations of the broken sample have the approved text, each one command on one line', async () => {
  const { report, evidence } = sampleReport('broken');
  const text = githubAnnotations(report, evidence);
  await expect(text).toMatchFileSnapshot('../samples/broken.github.txt');
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^::(error|warning|notice) title=[^:,]+::./);
});

test('no level has more annotations than GitHub shows in a step, the verdict included', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const repeated = (verdict: 'fail' | 'inconclusive' | 'warn') =>
    Array.from({ length: 12 }, (_, n) => ({ ...first, id: `chat.${verdict}-${n}`, verdict, level: 'MUST' }));
  const requirements = [...repeated('fail'), ...repeated('inconclusive'), ...repeated('warn')] as never; // as: the first is there
  const summary = { ...report.summary, exitCode: 1 as const };
  const lines = githubAnnotations({ ...report, requirements, diagnoses: [], summary }, evidence)
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual([
    ...Array<string>(10).fill('::error'),
    ...Array<string>(10).fill('::warning'),
  ]);
  expect(lines[0]).toContain('title=assay%3A does not conform');
  expect(lines.slice(1, 10).every((line) => line.includes('title=chat.fail-'))).toBe(true);
});

test('the target cannot inject a command of its own', () => {
  const { report, evidence } = sampleReport('broken');
  const first = report.requirements[0];
  const finding = { ...first?.findings[0], expected: 'x', actual: '\n::stop-commands::x%0A' };
  const text = githubAnnotations(
    { ...report, requirements: [{ ...first, findings: [finding] }] as never },
    evidence,
  ); // as: the sample has requirements
  expect(text.match(/^::/gm)).toHaveLength(2);
  expect(text).toContain('%250A');
});

test('a run with the verdict "cannot tell" is an error with its reasons, unless the gate lets it pass', () => {
  const { report, evidence } = sampleReport('nothing');
  const [first] = githubAnnotations(report, evidence).split('\n');
  expect(report.summary.reasons.length).toBeGreaterThan(0);
  expect(first).toMatch(/^::error title=/);
  for (const reason of report.summary.reasons) expect(first).toContain(reason);
  const passed = { ...report, summary: { ...report.summary, exitCode: 0 as const } };
  expect(githubAnnotations(passed, evidence)).toMatch(/^::notice /);
});

test('a command that could not run is one annotation, whatever its message', () => {
  expect(githubError('--api-key-env names KEY, which is not set.\n::error::50%')).toBe(
    '::error title=assay could not run::--api-key-env names KEY, which is not set.%0A\\u003a:error::50%25\n',
  );
});
