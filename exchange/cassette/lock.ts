import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { because, CassetteError } from './error.ts';

/** Takes the cassette for one writer. The lock of a process that is gone is taken over. */
export function lock(dir: string): () => void {
  const file = join(dir, 'lock');
  const mine = `${process.pid} ${startOf(process.pid) ?? '-'}\n`;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(file, mine, { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (!isCode(error, 'EEXIST')) {
        throw new CassetteError('unwritable', `${dir} cannot be written: ${because(error)}.`, error);
      }
      const holder = lockedBy(dir);
      if (holder !== null) {
        throw new CassetteError(
          'in-use',
          `${dir} is being recorded by process ${holder}. Record into another folder, or end that process first.`,
        );
      }
      rmSync(file, { force: true });
    }
  }
  throw new CassetteError('in-use', `${dir} is being taken by another recorder. Record into another folder.`);
}

/** The living process that holds the cassette, or null. */
export function lockedBy(dir: string): number | null {
  let content: string;
  try {
    content = readFileSync(join(dir, 'lock'), 'utf8');
  } catch {
    return null;
  }
  const [pid = '', start = '-'] = content.trim().split(' ');
  const holder = Number(pid);
  if (!Number.isInteger(holder) || holder <= 0 || !isAlive(holder)) return null;
  // A number may have been given to another process since.
  const now = startOf(holder);
  return start === '-' || now === null || now === start ? holder : null;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

/** When a process began, in the kernel's ticks; null where the system does not tell. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
