import { expect, inject, test } from 'vitest';
import { contrarySelection, randomSelection } from '../../reference/choices/selection.ts';
import { accusations, misreported } from './deviations.ts';
import { runWithChoices } from './run-with-choices.ts';

/** Each is a whole run. The contrary selection takes every choice in another way; the random ones mix them. */
const SELECTIONS = [
  { name: 'contrary', selection: contrarySelection() },
  ...(inject('isThorough') ? [1, 2] : []).map((seed) => ({
    name: `random:${seed}`,
    selection: randomSelection(seed),
  })),
];

test.for(SELECTIONS)(
  'a run on $name accuses of nothing, and reports what the service takes',
  async ({ selection }) => {
    const report = await runWithChoices(selection);
    expect(accusations(report)).toEqual([]);
    expect(misreported(report, selection)).toEqual([]);
  },
);
