import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** `main.js` of the command line, compiled from the current sources. */
    readonly main: string;
    /** Whether random tests try all cases, as CI does. */
    readonly isThorough: boolean;
    /**
     * A number that changes with the revision, so that CI performs a different variant of long runs per commit. Null to perform
     * all.
     */
    readonly rotation: number | null;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Next to `dist`, which other processes may be building. */
const compiledFolder = join(root, '.compiled');
const DAY_MILLISECONDS = 86_400_000;

/**
 * Compiles the sources once for all tests that run the command: transforming them at each start takes longer.
 */
export default function setup(project: TestProject): void {
  const folder = join(compiledFolder, digest());
  if (!existsSync(folder)) compile(folder);
  project.provide('main', join(folder, 'cli', 'main.js'));
}

/** Compiles to a folder. Concurrent processes may do the same; the first to finish wins. */
function compile(folder: string): void {
  for (const name of existsSync(compiledFolder) ? readdirSync(compiledFolder) : []) {
    const old = join(compiledFolder, name);
    // Another process may have deleted it.
    const found = statSync(old, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < Date.now() - DAY_MILLISECONDS)
      rmSync(old, { recursive: true, force: true, maxRetries: 3 });
  }
  const beside = `${folder}.${process.pid}`;
  execFileSync(process.execPath, ['scripts/build/build.mjs', beside, '--for-tests'], {
    cwd: root,
    stdio: 'inherit',
  });
  try {
    renameSync(beside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(beside, { recursive: true, force: true });
  }
}

/** A digest of all sources and build settings. */
function digest(): string {
  const hash = createHash('sha256');
  const configuration = readFileSync(join(root, 'tsconfig.build.json'), 'utf8');
  const { include }: { readonly include: readonly string[] } = JSON.parse(configuration);
  hash.update(configuration);
  for (const path of [
    'scripts/build/build.mjs',
    'scripts/build/bundle.mjs',
    'scripts/build/generate-validators.ts',
    ...schemaFiles(),
  ])
    hash.update(readFileSync(join(root, path)));
  for (const path of include.flatMap(sourceFiles)) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Schema files, from which the validators are generated. */
function schemaFiles(): string[] {
  return readdirSync(join(root, 'schemas'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !file.startsWith('examples'))
    .sort()
    .map((file) => join('schemas', file));
}

function sourceFiles(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .sort()
    .map((file) => join(path, file));
}
