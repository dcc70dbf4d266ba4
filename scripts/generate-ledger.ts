// Writes suites/ledger.json: everything that the suites say, one entry a line, so that a change of a level or a sentence shows in review.
// With --check it writes nothing, and exits 1 where the file is not what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { listingEntries } from '../reports/formats/entries.ts';
import { catalogue } from '../suites/index.ts';

const FILE = 'suites/ledger.json';

// Sorted by id and one entry a line, so that a merge of two branches conflicts only where both change one
// entry.
const entries = listingEntries(await catalogue()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
const text = `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`;

if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is not what the suites say. Refresh it: npm run generate`);
  process.exitCode = 1;
}
