import { expect, inject, test } from 'vitest';
import { contrarySelection } from '../../reference/choices/selection.ts';
import { misreported, runWithChoices, shortcomings } from './run-with-choices.ts';

/** The part of the scenarios that `npm test` runs; CI runs all. */
const PART = '1/4';
/** Milliseconds. A whole run at all costs takes 40 s of the processor, and CI runs other tests at the same time. */
const WHOLE_RUN = 300_000;
const shard = inject('isThorough') ? null : PART;

test(
  `a run on the contrary alternatives accuses of nothing, decides every MUST, and reports what the service takes: ${shard ?? 'all scenarios'}`,
  async () => {
    const selection = contrarySelection();
    const report = await runWithChoices(selection, shard === null ? {} : { shard });
    expect(report.summary.requirements.pass).toBeGreaterThan(100);
    expect(shortcomings(report)).toEqual([]);
    // Only a whole run is sure to show every alternative.
    if (shard === null) expect(misreported(report, selection)).toEqual([]);
  },
  WHOLE_RUN,
);
