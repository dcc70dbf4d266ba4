import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * A link is replaced, not followed, because it may lead outside the folder. If a write fails, the old file stays.
 * Throws the system's error.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    // A killed process may have left a draft, and another user may have put a link there.
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

const STANDARD_STREAMS: ReadonlyMap<string, number> = new Map([
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
]);

/**
 * Like `replaceFile`, for a path that the user named: writes to a pipe, a device or an open descriptor, such as
 * /dev/stdout.
 */
export function writeNamedFile(path: string, content: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const descriptor = descriptorOf(path);
  const isReplaceable = stats === undefined || stats.isFile();
  // The link of a descriptor that the shell has redirected to a file must not be replaced; a socket cannot be opened.
  if (descriptor !== null && (isReplaceable || stats.isSocket())) writeFileSync(descriptor, content);
  else if (isReplaceable) replaceFile(path, content);
  else writeFileSync(path, content);
}

function descriptorOf(path: string): number | null {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];
  return number === undefined ? (STANDARD_STREAMS.get(path) ?? null) : Number(number);
}
