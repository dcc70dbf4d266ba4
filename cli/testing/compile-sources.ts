import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly main: string;
    /** Whether tests try all cases (`npm run test:thorough`). */
    readonly isThorough: boolean;
    /** A number that CI derives from the revision, so that each commit tries other cases; null in local runs. */
    readonly rotation: number | null;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Not `dist`, because other processes may be building that. */
const compiledFolder = join(root, '.compiled');
const DAY_MS = 86_400_000;

/** Compiles the sources once for all tests that run the command, as transforming them at each start takes longer. */
export default function setup(project: TestProject): void {
  const folder = join(compiledFolder, digestSources());
  if (!existsSync(folder)) {
    removeOldFolders();
    compile(folder);
  }
  project.provide('main', join(folder, 'cli', 'main.js'));
}

/** Younger folders stay, because concurrent processes may use them. */
function removeOldFolders(): void {
  for (const name of existsSync(compiledFolder) ? readdirSync(compiledFolder) : []) {
    const folder = join(compiledFolder, name);
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs < Date.now() - DAY_MS)
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Compiles to a folder. Concurrent processes may do the same; the first to finish wins. */
function compile(folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  execFileSync(process.execPath, ['scripts/build/build.mjs', unfinished, '--for-tests'], {
    cwd: root,
    stdio: 'inherit',
  });
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function digestSources(): string {
  const hash = createHash('sha256');
  const configuration = readFileSync(join(root, 'tsconfig.build.json'), 'utf8');
  const { include }: { readonly include: readonly string[] } = JSON.parse(configuration);
  hash.update(configuration);
  const tools = ['build.mjs', 'bundle.mjs', 'generate-validators.ts'].map((file) => `scripts/build/${file}`);
  const schemas = listFiles('schemas', (file) => file.endsWith('.json') && !file.startsWith('examples'));
  const sources = include.flatMap((path) =>
    path.endsWith('.ts')
      ? [path]
      : listFiles(path, (file) => file.endsWith('.ts') && !file.endsWith('.test.ts')),
  );
  for (const path of [...tools, ...schemas, ...sources])
    hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Files below a folder, by path from the root of the repository. `isIncluded` receives paths from the folder. */
function listFiles(folder: string, isIncluded: (file: string) => boolean): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(isIncluded)
    .sort()
    .map((file) => join(folder, file));
}
