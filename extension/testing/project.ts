import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inject } from 'vitest';

const sources = fileURLToPath(new URL('../..', import.meta.url));

/** Creates the project of a user who has installed assay, with copies of the examples and of the shipped extensions. */
export function createProjectWithExamples(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-extension-'));
  const packageFolder = join(folder, 'node_modules/assay');
  mkdirSync(packageFolder, { recursive: true });
  // Test files of one process run assay both from the sources and compiled; a cached module would use the vocabulary
  // of the other copy.
  const suite = `${pathToFileURL(join(dirname(inject('main')), '../lib/suite.js')).href}?${basename(folder)}`;
  writeFileSync(
    join(packageFolder, 'package.json'),
    JSON.stringify({ name: 'assay', type: 'module', exports: { './suite': './suite.js' } }),
  );
  writeFileSync(join(packageFolder, 'suite.js'), `export * from ${JSON.stringify(suite)};\n`);
  for (const name of ['examples', 'extension/shipped'])
    cpSync(join(sources, name), join(folder, name), { recursive: true });
  return folder;
}
