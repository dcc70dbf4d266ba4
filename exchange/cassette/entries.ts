// Entries of a folder, opened and created without following links.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../schemas/error-message.ts';
import { CassetteError } from './cassette-error.ts';

/** `other` is a link, a device, a FIFO or a socket. */
type EntryKind = 'file' | 'folder' | 'other';

const ADVICE = 'A cassette has no such entries: remove it, or get the cassette from a source that you trust.';

/** Flags for opening a file; 0 on Windows, which has neither. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_BLOCK = constants.O_NONBLOCK ?? 0;

/** Null if there is no entry. Does not follow links. */
export function entryKind(path: string): EntryKind | null {
  const stats = statsOf(path);
  if (stats === undefined) return null;
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Nothing exists below a file.
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Throws CassetteError `foreign` for anything but a regular file: a link may lead outside the cassette, and a FIFO
 * blocks. Throws the system's error if the file cannot be opened.
 */
export function openRegular(path: string): number {
  // Opening a device can have effects; once the file is open, it is checked again, as it may have been replaced.
  if (entryKind(path) === 'other') throw notRegularError(path);
  const fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_BLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegularError(path);
}

/** Null if there is no entry; otherwise throws like `openRegular`. */
export function openIfThere(path: string): number | null {
  return entryKind(path) === null ? null : openRegular(path);
}

/** Throws the system's `EEXIST` if the name is taken, even by a link. */
export function createNewFile(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
}

/** Like `createNewFile`, but replaces a regular file, which a killed writer may have left. */
export function createTemporary(path: string): number {
  if (entryKind(path) === 'file') unlinkSync(path);
  return createNewFile(path);
}

/** Continues after a short write, as on a nearly full disk, until all bytes are written. Throws the system's error. */
export function writeAll(fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
}

/** False if there is no entry. Throws CassetteError `foreign` for anything but a folder, even for a link to one. */
export function isFolder(path: string): boolean {
  const kind = entryKind(path);
  if (kind === null) return false;
  if (kind === 'folder') return true;
  throw new CassetteError(
    'foreign',
    `${path} must be a folder, but is ${kind === 'file' ? 'a file' : 'a link or a special file'}. ${ADVICE}`,
  );
}

function notRegularError(path: string): CassetteError {
  return new CassetteError('foreign', `${path} is not a regular file. ${ADVICE}`);
}

/** The paths of all regular files below a folder, sorted in each folder. Empty if there is no such folder. */
export function regularFilesIn(dir: string): string[] {
  if (!isFolder(dir)) return [];
  return readdirSync(dir)
    .toSorted()
    .flatMap((name) => {
      const path = join(dir, name);
      const kind = entryKind(path);
      if (kind === 'folder') return regularFilesIn(path);
      return kind === 'file' ? [path] : [];
    });
}
