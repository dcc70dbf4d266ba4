import { expect, test } from 'vitest';
import { sampleReport } from '../samples/sample.ts';
import { markdownReport } from './markdown.ts';

test.for(['broken', 'green', 'nothing'] as const)('the %s sample reads as approved', async (name) => {
  const { report, evidence } = sampleReport(name);
  await expect(markdownReport(report, evidence)).toMatchFileSnapshot(`../samples/${name}.summary.md`);
});

test('a comment on GitHub can hold it, however much is broken', () => {
  const { report, evidence } = sampleReport('broken');
  const many = Array.from({ length: 3000 }, (_, n) => ({ ...report.requirements[0], id: `chat.rule-${n}` }));
  expect(markdownReport({ ...report, requirements: many as never }, evidence).length).toBeLessThan(65_536); // as: the first is there
});

test('what the target sent cannot leave its code fence', () => {
  const { report, evidence } = sampleReport('broken');
  const first = report.requirements[0];
  const finding = { ...first?.findings[0], actual: '```\n</details><img src=x>' };
  const odd = { ...report, requirements: [{ ...first, says: 'a <b> | `c`', findings: [finding] }] };
  const text = markdownReport(odd as never, evidence); // as: the first is there
  expect(text).toContain('````text');
  expect(text).toContain('a &lt;b&gt; &#124; &#96;c&#96;');
});

test('what a baseline accepts is folded below its reason, by id', () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = report.requirements.map((one) =>
    one.verdict === 'fail' ? { ...one, baseline: 'mended in 2.0, see <link>' } : one,
  );
  const text = markdownReport({ ...report, requirements }, evidence);
  expect(text).toContain('<summary>4 known failures: mended in 2.0, see &lt;link&gt;</summary>');
  expect(text).toContain('- `chat.stream.finish-reason-ends-choice`\n- `file:bytes#type`\n');
});
