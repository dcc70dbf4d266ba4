import { expect, inject, test } from 'vitest';
import { matchesAnyGlob } from '../../exchange/glob.ts';
import { contrarySelection, namedSelection } from '../../reference/choices/selection.ts';
import { filesLargeScenario } from '../../suites/files/files.suite.ts';
import { catalogue } from '../../suites/index.ts';
import { runWithChoices } from './run-with-choices.ts';
import { accusations, misreportedChoices, shortcomings } from './shortcomings.ts';
import { leaveHistory } from './testing/history.ts';

/** The part of the scenarios that `npm run test:proof` runs; CI runs all of them. */
const PART = '1/4';
/** Timeout of a test. A run of all cost classes takes 40 s of CPU, and CI runs other tests at the same time. */
const TIMEOUT_MS = 300_000;
const isWhole = inject('isThorough');
const flags = isWhole ? {} : { shard: PART };
const rotation = inject('rotation');
/** Scenarios of families whose objects reach a final state; CI tries one list per commit. */
const ENDING_FAMILIES = ['runs*,run-steps*', 'batches*,fine-tuning*,files*', 'vector-store*,files*'].filter(
  (_, n, lists) => rotation === null || n === rotation % lists.length,
);

/** The scenarios of these families, except one that uploads 1.1 GB and waits for no state. */
async function listEndingScenarios(): Promise<readonly string[]> {
  const globs = ENDING_FAMILIES.flatMap((list) => list.split(','));
  const names = (await catalogue()).scenarios.map(({ name }) => name);
  return names.filter((name) => matchesAnyGlob(globs, name) && name !== filesLargeScenario.name);
}

test(
  isWhole
    ? 'a run on the contrary alternatives has no failure, leaves no MUST inconclusive, and reports the alternatives that the service takes'
    : `a run of ${PART} of the scenarios on the contrary alternatives has no failure`,
  async () => {
    const selection = contrarySelection();
    const report = await runWithChoices(selection, flags);
    expect(report.summary.requirements.pass).toBeGreaterThan(100);
    expect(isWhole ? shortcomings(report) : accusations(report)).toEqual([]);
    if (isWhole) expect(misreportedChoices(report, selection)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a run leaves no MUST inconclusive on a service with more than a page of batches and jobs in no particular order',
  async () => {
    const selection = namedSelection([
      ['batches.list.order', 'neither'],
      ['fine-tuning.jobs.order', 'neither'],
    ]);
    const families = { scenario: 'batches*,fine-tuning*,files*', allow: 'training,batches,bulk' };
    const report = await runWithChoices(selection, families, {
      prepare: ({ url }) => leaveHistory(url, 101),
    });
    expect(report.summary.requirements.pass).toBeGreaterThan(100);
    expect(shortcomings(report)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a run leaves no MUST inconclusive on a service whose work ends immediately',
  async () => {
    const scenario = (await listEndingScenarios()).join();
    const report = await runWithChoices(new Map(), { scenario }, { stateDelay: 1e-6 });
    expect(report.summary.requirements.pass).toBeGreaterThan(100);
    expect(shortcomings(report)).toEqual([]);
  },
  TIMEOUT_MS,
);
