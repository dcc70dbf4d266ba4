import { expect, test } from 'vitest';
import { runEstimateText } from './run-estimate.ts';

const estimate = {
  run: [],
  skipped: [],
  byFamily: new Map(),
  baseUrl: 'http://127.0.0.1:9/v1',
  families: 'claimed',
  searchedRoles: [],
  trials: 3,
  problems: [],
} as const;

test('the trials for models are mentioned if there are any', () => {
  const text = (trials: number) =>
    runEstimateText({ ...estimate, searchedRoles: ['chat', 'completion'], trials });
  const end = 'for each role, with minimal requests, find the models of 2 roles\n';
  expect(text(3)).toContain(`\nbefore the run, trials of at most 3 models ${end}`);
  expect(text(1)).toContain(`\nbefore the run, trials of at most 1 model ${end}`);
  expect(runEstimateText(estimate)).not.toContain('trials');
});
