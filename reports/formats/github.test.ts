import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { githubAnnotations, githubError } from './github.ts';

test('each broken requirement is one command on one line', async () => {
  const { report, evidence } = sampleReport('broken');
  const text = githubAnnotations(report, evidence);
  await expect(text).toMatchFileSnapshot('../samples/broken.github.txt');
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^::(error|warning|notice) title=[^:,]+::./);
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
  expect(first).toContain(report.summary.reasons[0]);
  const passed = { ...report, summary: { ...report.summary, exitCode: 0 as const } };
  expect(githubAnnotations(passed, evidence)).toMatch(/^::notice /);
});

test('a command that could not run is one annotation, whatever its message', () => {
  expect(githubError('--api-key-env names KEY, which is not set.\n::error::50%')).toBe(
    '::error title=assay could not run::--api-key-env names KEY, which is not set.%0A\\u003a:error::50%25\n',
  );
});
