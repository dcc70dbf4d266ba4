import { expect, test } from 'vitest';
import { contrarySelection, randomSelection } from '../../reference/choices/selection.ts';
import { accusations, misreported } from './deviations.ts';
import { runWithChoices } from './run-with-choices.ts';

test.for([
  { name: 'contrary', selection: contrarySelection() },
  { name: 'random:1', selection: randomSelection(1) },
  { name: 'random:2', selection: randomSelection(2) },
])('a run on $name accuses of nothing, and reports what the service takes', async ({ selection }) => {
  const report = await runWithChoices(selection);
  expect(accusations(report)).toEqual([]);
  expect(misreported(report, selection)).toEqual([]);
});
