import { expect, test } from 'vitest';
import { sampleReport } from './testing/sample.ts';
import { scoreLine } from './verdict-words.ts';

test('the score leaves out unclaimed requirements and operations', () => {
  const { report } = sampleReport('broken');
  expect(report.summary.requirements.total).toBe(12);
  expect(report.summary.operations.total).toBe(6);
  expect(scoreLine(report)).toBe('1 of 11 requirements pass, 4 of 5 operations exercised');
});
