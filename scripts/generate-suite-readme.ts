// Writes suites/README.md: selectors, mutations and combinators with the first sentence of their comments.
// With --check it writes nothing, and exits 1 where the file differs from what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderSuiteReadme } from './data/suite-readme.ts';

const FILE = 'suites/README.md';

// Independent of the working directory, because a test calls it as well.
const root = join(import.meta.dirname, '..');
const text = renderSuiteReadme(root);

if (!process.argv.includes('--check')) writeFileSync(join(root, FILE), text);
else if (readFileSync(join(root, FILE), 'utf8') !== text) {
  console.error(`${FILE} does not match the comments of the sources. Refresh it: npm run generate`);
  process.exitCode = 1;
}
