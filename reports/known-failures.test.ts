import { expect, test } from 'vitest';
import { compareReports } from './comparison/compare.ts';
import { badgeJson } from './formats/badge.ts';
import { githubAnnotations } from './formats/github.ts';
import { makeMatrix, matrixHtml, matrixMarkdown } from './formats/matrix.ts';
import { sampleReport } from './testing/sample.ts';

test('matrix, comparison, badge and annotations all count the known failures of a service that conforms', () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = report.requirements.map((one) =>
    one.verdict === 'fail' ? { ...one, baseline: 'mended in 2.0' } : one,
  );
  const count = requirements.filter(({ baseline }) => baseline !== null).length;
  const excused = { ...report, requirements, summary: { ...report.summary, verdict: 'conforms' as const } };
  const words = `conforms with ${count} known failures`;
  expect(count).toBeGreaterThan(1);
  const services = makeMatrix([{ name: 'one', report: excused }]);
  expect(matrixMarkdown(services)).toContain(`| one | ${words} |`);
  expect(matrixHtml(services)).toContain(`<td data-column="verdict">${words}</td>`);
  expect(compareReports(excused, report).before).toContain(`${words}: `);
  expect(badgeJson(excused)).toContain(words);
  expect(githubAnnotations(excused, evidence)).toContain(words);
});
