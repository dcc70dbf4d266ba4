// Bundles the TypeScript folders to dist/, or to a given folder, and writes the declarations; --unchecked skips the type
// check. With --for-tests it also bundles what tests import, with --for-action only the command; then there are no
// declarations.
// Plain JavaScript, because it runs before anything is built.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { bundle } from './bundle.mjs';

/** Modules that tests import in addition to the entries of the package. */
const FOR_TESTS = ['cli/program.ts', 'pipeline/judging/judge-thread.ts'];

const [out = 'dist', purpose] = process.argv.slice(2);

rmSync(out, { recursive: true, force: true });
await bundle(resolve(out), purpose === '--for-tests' ? FOR_TESTS : []);
chmodSync(join(out, 'cli/main.js'), 0o755);
if (purpose === undefined || purpose === '--unchecked') writeDeclarations();

function writeDeclarations() {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const unchecked = purpose === '--unchecked' ? ['--noCheck'] : [];
  const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', out, ...unchecked];
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
  removeUnreachableDeclarations();
  // Only the package has them: they take three seconds, and nothing in this repository imports them.
  if (purpose === undefined)
    execFileSync(
      process.execPath,
      ['--import', 'tsx', 'scripts/data/schema-types.ts', join(out, 'schemas/types.d.ts')],
      { stdio: 'inherit' },
    );
}

/** Removes declarations that no entry of package.json leads to: two fifths of the files. */
function removeUnreachableDeclarations() {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const entries = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [types]));
  const reached = new Set();
  const follow = (file) => {
    if (reached.has(file) || !existsSync(file)) return;
    reached.add(file);
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)['"]/g))
      follow(resolve(dirname(file), target.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')));
  };
  for (const entry of entries) follow(resolve(out, entry.replace(/^\.\/dist\//, '')));
  for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    const path = resolve(out, file);
    if (file.endsWith('.d.ts') && !reached.has(path)) rmSync(path);
  }
}
