// Compiles the TypeScript rooms to dist/. Plain JavaScript: it runs in `prepare`, before anything is built.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
// The compiler emits no declaration files for declaration files.
if (existsSync('schemas/types.d.ts')) copyFileSync('schemas/types.d.ts', 'dist/schemas/types.d.ts');
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755);
