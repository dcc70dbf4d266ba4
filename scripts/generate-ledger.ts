// Writes suites/ledger.json: everything that the suites say, one entry a line, so that a change of a level or a sentence shows in review;
// and suites/features.json: the features of requests by which causes of refusals are named.
// With --check it writes nothing, and exits 1 where a file is not what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { COMMON_FEATURES, listedFeatures } from '../judge/acceptance/feature-list.ts';
import { listingEntries } from '../reports/formats/entries.ts';
import { catalogue } from '../suites/index.ts';

// Sorted by id and one entry a line, so that a merge of two branches conflicts only where both change one
// entry.
const entries = listingEntries(await catalogue('both')).toSorted((a, b) => (a.id < b.id ? -1 : 1));
const features = [['*', COMMON_FEATURES] as const, ...listedFeatures()];
const files = {
  'suites/ledger.json': `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`,
  'suites/features.json': `{\n${features.map((row) => row.map((one) => JSON.stringify(one)).join(':')).join(',\n')}\n}\n`,
};

for (const [file, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not what the suites say. Refresh it: npm run generate`);
    process.exitCode = 1;
  }
}
