import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { errorCode } from '../../schemas/error-message.ts';
import { CassetteError, unwritableError } from './cassette-error.ts';
import { createNewFile, entryKind, openIfThere } from './entries.ts';
import { readSpan } from './span-reader.ts';

/** Errors of `linkSync` where there are no hard links: on FAT, some network shares, and folders shared with a VM. */
const NO_LINK_ERRORS: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];
const MAX_LOCK_BYTES = 200;

/**
 * Returns a function that releases the lock; pass it the new folder if the cassette was moved. Throws CassetteError if
 * a live process holds the lock, or if it cannot be created.
 */
export function lockCassette(dir: string): (dir?: string) => void {
  const file = join(dir, 'lock');
  for (const entry of [file, `${file}.taking`]) refuseSpecial(entry);
  if (!createLock(file)) takeOver(dir, file);
  return (where = dir) => {
    const lock = join(where, 'lock');
    if (contentOf(lock) === ownContent()) rmSync(lock, { force: true });
  };
}

/** Throws CassetteError for an entry that is not a regular file: no recorder created it, so it must not be removed. */
function refuseSpecial(entry: string): void {
  const kind = entryKind(entry);
  if (kind === null || kind === 'file') return;
  throw new CassetteError(
    'foreign',
    `${entry} is not a regular file. Remove it, or record into another folder.`,
  );
}

export function lockHolder(dir: string): number | null {
  return holderOf(join(dir, 'lock'));
}

/** Only the holder of a second lock may remove the first, so two processes that find it stale cannot both take it. */
function takeOver(dir: string, file: string): void {
  const guard = `${file}.taking`;
  refuseHeld(dir);
  if (!createLock(guard)) {
    if (holderOf(guard) !== null) throw inUseError(dir, lockHolder(dir));
    discardStale(guard);
    if (!createLock(guard)) throw inUseError(dir, lockHolder(dir));
  }
  try {
    refuseHeld(dir);
    rmSync(file, { force: true });
    if (!createLock(file)) throw inUseError(dir, lockHolder(dir));
  } finally {
    rmSync(guard, { force: true });
  }
}

function refuseHeld(dir: string): void {
  const holder = lockHolder(dir);
  if (holder !== null) throw inUseError(dir, holder);
}

function createLock(file: string): boolean {
  const draft = uniqueName(file);
  try {
    writeNew(draft, ownContent());
    linkOnce(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw unwritableError(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function uniqueName(file: string): string {
  return `${file}.${process.pid}-${threadId}-${randomBytes(4).toString('hex')}`;
}

function writeNew(file: string, content: string | Uint8Array): void {
  const fd = createNewFile(file);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

/**
 * Publishes a draft under an unused name: by a hard link, or where the file system has none, by a copy, which is not
 * atomic.
 */
function linkOnce(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!NO_LINK_ERRORS.includes(errorCode(error))) throw error;
    writeNew(file, readFileSync(draft));
  }
}

/** Renames the file before it checks the holder, so that it cannot remove a lock created since the last check. */
function discardStale(file: string): void {
  const aside = `${uniqueName(file)}.old`;
  try {
    renameSync(file, aside);
    if (holderOf(aside) !== null) linkOnce(aside, file);
  } catch {
    // Another process was faster; creating the lock then fails if that process holds it.
  }
  rmSync(aside, { force: true });
}

export function inUseError(dir: string, holder: number | null): CassetteError {
  const who = holder === null ? 'taken by another recorder' : `recorded by process ${holder}`;
  const message = `${dir} is being ${who}. Record into another folder, or end that process first.`;
  return new CassetteError('in-use', message);
}

function ownContent(): string {
  return `${process.pid} ${startOf(process.pid) ?? '-'}\n`;
}

function contentOf(file: string): string | null {
  try {
    const fd = openIfThere(file);
    if (fd === null) return null;
    try {
      return readSpan(fd, 0, MAX_LOCK_BYTES).toString();
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

function holderOf(file: string): number | null {
  const [pid = '', start = '-'] = (contentOf(file) ?? '').trim().split(' ');
  const holder = Number(pid);
  if (!Number.isInteger(holder) || holder <= 0 || !isAlive(holder)) return null;
  // The process id may have been reused.
  const now = startOf(holder);
  return start === '-' || now === null || now === start ? holder : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Start time of a process in kernel ticks; null if the system does not report it. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
