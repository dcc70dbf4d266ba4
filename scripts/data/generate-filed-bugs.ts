// Writes docs/filed-bugs.md: the faults and the equivalent mutants that name a public report.
// With --check it writes nothing, and exits 1 where the file differs from what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderFiledBugs } from './filed-bugs.ts';

const FILE = 'docs/filed-bugs.md';

const path = join(import.meta.dirname, '../..', FILE);
const text = await renderFiledBugs();

if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (readFileSync(path, 'utf8') !== text) {
  console.error(`${FILE} does not match the declarations. Refresh it: npm run generate`);
  process.exitCode = 1;
}
