import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { errorCode } from '../../schemas/error-message.ts';
import { CassetteError, createNewFile, entryKind, openIfThere, unwritable } from './folder.ts';
import { readSpan } from './line-files.ts';

/**
 * Takes the cassette for one writer; gives what lets go of it, wherever the folder is by then. The lock of a process that is
 * gone is taken over, by one only however many try.
 */
export function lockCassette(dir: string): (dir?: string) => void {
  const file = join(dir, 'lock');
  for (const entry of [file, `${file}.taking`]) refuseSpecial(entry);
  if (!place(file)) takeOver(dir, file);
  return (where = dir) => {
    const left = join(where, 'lock');
    if (contentOf(left) === mine()) rmSync(left, { force: true });
  };
}

/** A lock is a regular file; any other entry was not made by a recorder and is not removed. */
function refuseSpecial(entry: string): void {
  const kind = entryKind(entry);
  if (kind === null || kind === 'file') return;
  throw new CassetteError(
    'foreign',
    `${entry} is not a regular file. Remove it, or record into another folder.`,
  );
}

/** The living process that holds the cassette, or null. */
export function lockedBy(dir: string): number | null {
  return holderOf(join(dir, 'lock'));
}

/** Only who holds the second lock may remove the first: two who find it stale cannot both take it. */
function takeOver(dir: string, file: string): void {
  const guard = `${file}.taking`;
  if (lockedBy(dir) !== null) throw inUse(dir, file);
  if (!place(guard)) {
    if (holderOf(guard) !== null) throw inUse(dir, file);
    discard(guard);
    if (!place(guard)) throw inUse(dir, file);
  }
  try {
    if (lockedBy(dir) !== null) throw inUse(dir, file);
    rmSync(file, { force: true });
    if (!place(file)) throw inUse(dir, file);
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Puts a file with our name there, whole from its first moment; false where there is one. */
function place(file: string): boolean {
  const draft = ownName(file);
  try {
    write(draft, mine());
    name(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw unwritable(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A name that no other process and no other attempt takes. */
function ownName(file: string): string {
  return `${file}.${process.pid}-${threadId}-${randomBytes(4).toString('hex')}`;
}

/** Creates the lock file. Throws the system's EEXIST where it exists. */
function write(file: string, content: string | Uint8Array): void {
  const fd = createNewFile(file);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

/** Gives a draft its name, where none has it: by a link, where the file system knows links. */
function name(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!LINKLESS.some((code) => errorCode(error) === code)) throw error;
    write(file, readFileSync(draft));
  }
}

/** What FAT, network shares and shared folders of virtual machines say to a link. */
const LINKLESS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Removes a file that its process left, and no other that may have come into its place. */
function discard(file: string): void {
  const aside = `${ownName(file)}.old`;
  try {
    renameSync(file, aside);
    if (holderOf(aside) !== null) name(aside, file);
  } catch {
    // Another process was faster: the next attempt reads its lock.
  }
  rmSync(aside, { force: true });
}

/** Error for a folder that another process locks. */
function inUse(dir: string, file: string): CassetteError {
  const holder = holderOf(file);
  const who = holder === null ? 'taken by another recorder' : `recorded by process ${holder}`;
  const message = `${dir} is being ${who}. Record into another folder, or end that process first.`;
  return new CassetteError('in-use', message);
}

/** Content of a lock of this process. */
function mine(): string {
  return `${process.pid} ${startOf(process.pid) ?? '-'}\n`;
}

/** More bytes than any lock of ours has. */
const LONGEST = 200;

/** Null when it does not exist or is not a regular file. */
function contentOf(file: string): string | null {
  try {
    const fd = openIfThere(file);
    if (fd === null) return null;
    try {
      return readSpan(fd, 0, LONGEST).toString();
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** Id of the running process that holds a lock; null for a lock that is left over. */
function holderOf(file: string): number | null {
  const [pid = '', start = '-'] = (contentOf(file) ?? '').trim().split(' ');
  const holder = Number(pid);
  if (!Number.isInteger(holder) || holder <= 0 || !isAlive(holder)) return null;
  // A number may have been given to another process since.
  const now = startOf(holder);
  return start === '-' || now === null || now === start ? holder : null;
}

/** Whether a process with this id exists. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** When a process began, in the kernel's ticks; null where the system does not report it. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
