// Bundles the TypeScript folders to dist/, or to a given folder, and writes the declarations; --unchecked skips the
// type check. With --for-tests it also bundles what tests import, with --for-action only the command; then there are no
// declarations. Plain JavaScript, because it runs before anything is built.
import { spawn } from 'node:child_process';
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
if (purpose === undefined || purpose === '--unchecked') await writeDeclarations();

async function writeDeclarations() {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const unchecked = purpose === '--unchecked' ? ['--noCheck'] : [];
  const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', out, ...unchecked];
  await Promise.all([
    runNode([compiler, ...options]),
    runNode(['--import', 'tsx', 'scripts/data/schema-types.ts', join(out, 'schemas/types.d.ts')]),
  ]);
  removeUnreachableDeclarations();
}

function runNode(options) {
  return new Promise((done, fail) => {
    spawn(process.execPath, options, { stdio: 'inherit' })
      .once('error', fail)
      .once('close', (code) => (code === 0 ? done() : fail(new Error(`node ${options.join(' ')} failed`))));
  });
}

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
