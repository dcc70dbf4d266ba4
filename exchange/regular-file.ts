import { existsSync, readFileSync, statSync } from 'node:fs';

class NotRegularFile extends Error {
  override readonly name = 'NotRegularFile';
}

/**
 * Follows links. Throws NotRegularFile for a pipe or a device, which might block or never end, and the system's error
 * if the file cannot be read.
 */
export function readRegularFile(path: string): string {
  refuseSpecialFile(path);
  return readFileSync(path, 'utf8');
}

export function isFile(path: string): boolean {
  // `statSync` throws for a path that leads through a file or has too many links.
  return existsSync(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

export function refuseSpecialFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
    throw new NotRegularFile(`${path} is a pipe or a special file: name a regular file.`);
}
