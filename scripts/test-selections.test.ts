// The selections of tests name files that exist: a renamed test must not silently join the fast ones or the second Node.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import fast from '../vitest.fast.config.ts';
import { ROOT } from './testing/documents.ts';

const SOURCES =
  '{cassettes,cli,drive,exchange,judge,pipeline,proxy,reference,reports,schemas,scripts,suites}';

/** Paths that a pattern of braces and stars names, from the root; a name without stars is kept although no file has it. */
function expand(pattern: string): readonly string[] {
  const script = `printf '%s\\n' ${pattern.replace(/^\*\*\//, `${SOURCES}/**/`)}`;
  const listed = execFileSync('bash', ['-O', 'globstar', '-O', 'nullglob', '-c', script], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => path !== '');
}

function isMissing(pattern: string): boolean {
  const paths = expand(pattern);
  return paths.length === 0 || paths.some((path) => !existsSync(join(ROOT, path)));
}

const { exclude }: { readonly exclude: readonly string[] } = fast['test'];
const excluded = exclude.filter((pattern) => !/^(node_modules|dist|\.|assay-report)/.test(pattern));

test('each test that the fast ones leave out exists', () => {
  expect(excluded.length).toBeGreaterThan(0);
  expect(excluded.filter(isMissing)).toEqual([]);
});

test('each test that the second Node leaves out exists', () => {
  const [, repeats = ''] = /^repeats=\((.*)\)$/m.exec(readFileSync(join(ROOT, '.ci/run'), 'utf8')) ?? [];
  expect(repeats).not.toBe('');
  expect(isMissing(repeats)).toBe(false);
});

test('no fast test starts the compiled command, which they do not compile', () => {
  const out = new Set(excluded.flatMap(expand));
  const starters = expand('**/*.test.ts')
    .filter((path) => !out.has(path))
    .filter((path) => /testing\/run-assay|inject\('main'\)/.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(starters).toEqual([]);
});
