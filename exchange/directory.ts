import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its parents, level by level: the recursive mkdir of Node 20 never returns if a folder cannot be
 * created (`/proc` on some systems, a removed working directory). Throws the system's error.
 */
export function makeDirectory(dir: string): void {
  const path = resolve(dir);
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
