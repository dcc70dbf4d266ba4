// `npm run generate` writes the files below, which are derived from the sources. With --check it writes nothing and
// exits with 1 if a file differs. One process generates all files, because loading the sources takes most of the time.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMON_FEATURES, listedFeatures } from '../judge/acceptance/feature-list.ts';
import { listingEntries } from '../reports/formats/listing.ts';
import { catalogue } from '../suites/index.ts';
import { renderFiledBugs } from './data/filed-bugs.ts';
import { renderSuiteReadme } from './data/suite-readme.ts';
import { createReportFixtures } from './testing/report-fixtures.ts';

const root = join(import.meta.dirname, '..');
const reportSamples = Object.entries(await createReportFixtures()).map(
  ([name, fixture]) => [`reports/samples/${name}.json`, `${JSON.stringify(fixture, null, 2)}\n`] as const,
);
const files = [
  ['suites/ledger.json', await renderLedger()],
  ['suites/features.json', renderFeatures()],
  ['suites/README.md', renderSuiteReadme(root)],
  ['docs/filed-bugs.md', await renderFiledBugs()],
  ...reportSamples,
] as const;

for (const [file, text] of files) {
  const path = join(root, file);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${file} does not match the sources. Refresh it: npm run generate`);
    process.exitCode = 1;
  }
}

/**
 * The text of suites/ledger.json: all requirements, choices and exclusions, sorted by id, one entry per line for
 * readable diffs.
 */
async function renderLedger(): Promise<string> {
  const entries = listingEntries(await catalogue('both')).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`;
}

/** The text of suites/features.json: the request features that causes of refusals are named after. */
function renderFeatures(): string {
  const rows = [['*', COMMON_FEATURES] as const, ...listedFeatures()];
  return `{\n${rows.map((row) => row.map((member) => JSON.stringify(member)).join(':')).join(',\n')}\n}\n`;
}
