// How a workflow gets assay: as a dependency of the project, or as a package that it fetches.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../schemas/json.ts';

/** The command that installs the project, null for none, and the words that stand before the arguments of assay. */
export interface Installation {
  readonly install: string | null;
  readonly command: string;
}

/** Package managers by their lock file, in the order in which they are looked for, each with its command that changes nothing else. */
const LOCKED: readonly (readonly [lock: string, install: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm ci'],
  ['pnpm-lock.yaml', 'corepack enable && pnpm install --frozen-lockfile'],
  ['yarn.lock', 'corepack enable && yarn install'],
];

/** The installation of a project that depends on assay; null where the folder has no package.json that names it. */
export function projectInstallation(folder: string): Installation | null {
  if (!dependsOnAssay(join(folder, 'package.json'))) return null;
  const lock = LOCKED.find(([name]) => existsSync(join(folder, name)));
  return { install: lock?.[1] ?? 'npm install', command: 'npx assay' };
}

/** A package by its specification for npm: a version on a registry, a file or a URL. */
export function fetchedInstallation(spec: string): Installation {
  return { install: null, command: `npx --yes --package=${JSON.stringify(spec)} assay` };
}

function dependsOnAssay(path: string): boolean {
  if (!existsSync(path)) return false;
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Somebody else's broken file: npm reports it better.
    return false;
  }
  if (!isJsonObject(manifest)) return false;
  const { dependencies, devDependencies } = manifest;
  return [dependencies, devDependencies].some((group) => isJsonObject(group) && 'assay' in group);
}
