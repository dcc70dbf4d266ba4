// Compiles the TypeScript rooms to dist/, or to the folder that is named. Plain JavaScript: it runs in `prepare`, before anything is built.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const out = process.argv[2] ?? 'dist';
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync(out, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', out], {
  stdio: 'inherit',
});
// The compiler emits no declaration files for declaration files.
if (existsSync('schemas/types.d.ts')) copyFileSync('schemas/types.d.ts', join(out, 'schemas/types.d.ts'));
removeUnreachableDeclarations();
const main = join(out, 'cli/main.js');
if (existsSync(main)) chmodSync(main, 0o755);

/** Declarations that no entry of package.json leads to cannot be imported: they are two fifths of the files. */
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
