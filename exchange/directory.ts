import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and its parents, level by level: the recursive mkdir of Node 20 never returns if one cannot be
 * created (`/proc` on some systems, a removed working directory). Throws the system's error.
 */
export function makeDirectory(dir: string): void {
  const path = resolve(dir);
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it.
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
