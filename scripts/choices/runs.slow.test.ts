import { expect, test } from 'vitest';
import { contrarySelection } from '../../reference/choices/selection.ts';
import { accusations, misreported } from './deviations.ts';
import { runWithChoices } from './run-with-choices.ts';

test('a run on the contrary alternatives accuses of nothing, and reports what the service takes', async () => {
  const selection = contrarySelection();
  const report = await runWithChoices(selection);
  expect(accusations(report)).toEqual([]);
  expect(misreported(report, selection)).toEqual([]);
});
