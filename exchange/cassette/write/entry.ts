import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { errorCode, messageOf } from '../../../schemas/error-message.ts';
import { CassetteError } from '../error.ts';

/** Kind of the entry at a path; symbolic links are not followed. `other`: a link, a device, a FIFO or a socket. */
export type EntryKind = 'file' | 'folder' | 'other';

/** Windows has neither flag. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_BLOCK = constants.O_NONBLOCK ?? 0;

/** Kind of the entry at a path; null when the path does not exist. */
export function entryKind(path: string): EntryKind | null {
  const stats = statsOf(path);
  if (stats === undefined) return null;
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

/** Stats of an entry, without following links; undefined when it does not exist. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Below a file there is nothing.
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Opens a regular file for reading; the caller closes it. Throws CassetteError `foreign` for anything else: a link may lead
 * outside the cassette, and a FIFO blocks the process. Throws the system's error where the file cannot be opened.
 */
export function openRegular(path: string): number {
  // Opening some devices has effects, so the kind is looked at first; the descriptor is what counts.
  if (entryKind(path) === 'other') throw notRegular(path);
  const fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_BLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

/** The same; null when the file does not exist. */
export function openIfThere(path: string): number | null {
  return entryKind(path) === null ? null : openRegular(path);
}

/** Creates a file for reading and writing. Throws the system's `EEXIST` where there is an entry of that name, a link included. */
export function createNewFile(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
}

/** Throws CassetteError unless there is a folder of that name, or nothing. Gives whether it is there. */
export function isFolder(path: string): boolean {
  const kind = entryKind(path);
  if (kind === null || kind === 'folder') return kind === 'folder';
  throw new CassetteError(
    'foreign',
    `${path} must be a folder, but is ${kind === 'file' ? 'a file' : 'a link or a special file'}. ${REMOVE}`,
  );
}

/** Runs a write to a file. Throws CassetteError `unwritable` with the system's reason where it fails. */
export function writing<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** The error of a write that failed, unless it is a CassetteError already. */
export function unwritable(file: string, error: unknown): CassetteError {
  if (error instanceof CassetteError) return error;
  return new CassetteError('unwritable', `${file} cannot be written: ${messageOf(error)}.`, error);
}

/** Advice of every error about links and special files. */
const REMOVE = 'A cassette has no such entries: remove it, or get the cassette from a source that you trust.';

/** Error for a link, a device or a FIFO. */
function notRegular(path: string): CassetteError {
  return new CassetteError('foreign', `${path} is not a regular file. ${REMOVE}`);
}
