import { expect, inject, test } from 'vitest';
import { contrarySelection } from '../../reference/choices/selection.ts';
import { accusations, misreported } from './deviations.ts';
import { runWithChoices } from './run-with-choices.ts';

/** Parts of the scenarios of which `npm test` runs one, another at each time of the day; the CI runs all. */
const PARTS = 4;
const shard = inject('isThorough') ? null : `${1 + (Math.floor(Date.now() / 1000) % PARTS)}/${PARTS}`;

test(`a run on the contrary alternatives accuses of nothing, and reports what the service takes: ${shard ?? 'all scenarios'}`, async () => {
  const selection = contrarySelection();
  const report = await runWithChoices(selection, shard === null ? {} : { shard });
  expect(report.summary.requirements.pass).toBeGreaterThan(100);
  expect(accusations(report)).toEqual([]);
  // What a service takes is sure to show in a whole run alone.
  if (shard === null) expect(misreported(report, selection)).toEqual([]);
});
