import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and what is missing above it, level by level: the recursive mkdir of Node 20 never returns where no folder can be made
 * (`/proc` on some systems, a working folder that was removed). Throws the error of the system.
 */
export function makeDirectory(dir: string): void {
  const path = resolve(dir);
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
