import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DOCUMENTS, listNamedPaths, ROOT, readDocument } from './testing/documents.ts';

const roots = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['node_modules', 'dist', 'assay-report'].includes(entry.name))
  .map(({ name }) => name);

describe('paths in the documents', () => {
  test.each([
    ...DOCUMENTS,
    'CONTRIBUTING.md',
    'SECURITY.md',
    'cassettes/README.md',
    'reference/README.md',
    'schemas/README.md',
  ])('%s names only existing files and folders', (path) => {
    const missing = listNamedPaths(path, readDocument(path), roots).filter(
      (named) => !existsSync(join(ROOT, named)),
    );
    expect(missing).toEqual([]);
  });

  test('the architecture follows an exchange in at most eight steps, each naming a source file', () => {
    const [, section = ''] = readDocument('docs/architecture.md').split('## One exchange of `assay run`');
    const steps = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\d+\. /.test(line));
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.length).toBeLessThanOrEqual(8);
    for (const step of steps) expect(step).toMatch(/`[\w/-]+\.ts`/);
  });

  test('each top-level folder has a row in the architecture', () => {
    const architecture = readDocument('docs/architecture.md');
    const undescribed = roots.filter(
      (root) => !root.startsWith('.') && !architecture.includes(`| \`${root}/\` |`),
    );
    expect(undescribed).toEqual([]);
  });
});
