import { expect, test } from 'vitest';
import { sampleReport } from '../samples/sample.ts';
import { githubAnnotations } from './github.ts';

test('each broken requirement is one command on one line', async () => {
  const text = githubAnnotations(sampleReport('broken').report);
  await expect(text).toMatchFileSnapshot('../samples/broken.github.txt');
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^::(error|warning|notice) title=[^:,]+::./);
});

test('the target cannot slip in a command of its own', () => {
  const { report } = sampleReport('broken');
  const first = report.requirements[0];
  const finding = { ...first?.findings[0], expected: 'x', actual: '\n::stop-commands::x%0A' };
  const text = githubAnnotations({ ...report, requirements: [{ ...first, findings: [finding] }] as never }); // as: the first is there
  expect(text.match(/^::/gm)).toHaveLength(2);
  expect(text).toContain('%250A');
});
