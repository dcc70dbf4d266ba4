// Compiles the TypeScript rooms to dist/, or to the folder that is named. Plain JavaScript: it runs in `prepare`, before anything is built.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const out = process.argv[2] ?? 'dist';
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync(out, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', out], {
  stdio: 'inherit',
});
// The compiler emits no declaration files for declaration files.
if (existsSync('schemas/types.d.ts')) copyFileSync('schemas/types.d.ts', join(out, 'schemas/types.d.ts'));
const main = join(out, 'cli/main.js');
if (existsSync(main)) chmodSync(main, 0o755);
