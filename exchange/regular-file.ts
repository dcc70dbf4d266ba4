import { readFileSync, statSync } from 'node:fs';

/** A path that leads to a pipe, a socket or a device. */
class NotRegularFile extends Error {
  override readonly name = 'NotRegularFile';
}

/**
 * The text of a file, or of the file that a link leads to. Throws NotRegularFile for a pipe or a device, which might block
 * or never end, and the system's error if the file cannot be read.
 */
export function readRegularFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
    throw new NotRegularFile(`${path} is a pipe or a special file: name a regular file.`);
  return readFileSync(path, 'utf8');
}
