import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { badgeJson, badgeSvg } from './badge.ts';

test('the badge shows verdict and coverage together', () => {
  expect(JSON.parse(badgeJson(sampleReport('green').report))).toEqual({
    schemaVersion: 1,
    label: 'assay',
    message: 'conforms for models, 1/1 requirements, 2/2 operations',
    color: 'brightgreen',
    isError: false,
  });
  expect(JSON.parse(badgeJson(sampleReport('broken').report)).message).toBe(
    'does not conform for models+files+chat, 1/11 requirements, 4/5 operations',
  );
});

test('the drawn badge also shows verdict and coverage together', () => {
  expect(badgeSvg(sampleReport('nothing').report)).toContain(
    'cannot tell for models, 0/1 requirements, 0/2 operations',
  );
});
