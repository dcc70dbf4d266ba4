import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { isJsonObject } from '../../schemas/json.ts';

export interface Installation {
  readonly install: string | null;
  readonly command: string;
}

/** In order of precedence. */
const LOCK_FILES: readonly (readonly [lock: string, install: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm ci'],
  ['pnpm-lock.yaml', 'corepack enable && pnpm install --frozen-lockfile'],
  ['yarn.lock', 'corepack enable && yarn install'],
];

export function projectInstallation(folder: string): Installation | null {
  if (assayDependency(folder) === null) return null;
  const lock = LOCK_FILES.find(([name]) => existsSync(join(folder, name)));
  return { install: lock?.[1] ?? 'npm install', command: 'npx assay' };
}

/** `spec`: a package on the registry such as `assay@0.1.0`, a file or a URL, as npm accepts it. */
export function fetchedInstallation(spec: string): Installation {
  return { install: null, command: `npx --yes --package=${shellQuote(spec)} assay` };
}

export function assayDependency(folder: string): string | null {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return null;
  let manifest: unknown;
  try {
    manifest = JSON.parse(readRegularFile(path));
  } catch {
    // npm reports a broken or unreadable package.json better.
    return null;
  }
  if (!isJsonObject(manifest)) return null;
  const { dependencies, devDependencies } = manifest;
  const group = [devDependencies, dependencies].find((one) => isJsonObject(one) && 'assay' in one);
  return isJsonObject(group) ? String(group['assay']) : null;
}
