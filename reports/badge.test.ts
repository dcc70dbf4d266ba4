import { expect, test } from 'vitest';
import { badgeJson, badgeSvg } from './badge.ts';
import { sample } from './samples/sample.ts';

test('the badge shows verdict and coverage together', () => {
  expect(JSON.parse(badgeJson(sample('green').report))).toEqual({
    schemaVersion: 1,
    label: 'assay',
    message: 'conforms, 1/1 requirements, 2/2 operations',
    color: 'brightgreen',
    isError: false,
  });
  expect(JSON.parse(badgeJson(sample('broken').report)).message).toBe(
    'does not conform, 1/10 requirements, 4/6 operations',
  );
});

test('the drawn badge reads the same', () => {
  expect(badgeSvg(sample('nothing').report)).toContain('cannot tell, 0/0 requirements, 0/0 operations');
});
