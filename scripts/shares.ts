// Scripts that share their work with child processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../schemas/error-message.ts';

/** Concurrent processes of a script: one per core of a small machine. */
export const SHARES = 2;

/** Prints the result of the share in `--share` as JSON; without one, does all of the work. Exits with 2 if that fails. */
export async function shareOrWhole(
  share: string | undefined,
  own: (index: number) => Promise<unknown>,
  whole: () => Promise<void>,
): Promise<void> {
  try {
    if (share === undefined) await whole();
    else process.stdout.write(JSON.stringify(await own(Number(share))));
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 2;
  }
}

/**
 * Runs this script once for each share, and reads the JSON that each prints. Null if a share failed; it has then printed the
 * reason, and the exit code is 2. `progress`: the shares whose progress is shown.
 */
export async function allShares<T>(progress: 'of all' | 'of the first'): Promise<readonly T[] | null> {
  const shares = await Promise.all(
    Array.from({ length: SHARES }, (_, index) =>
      shareResult<T>(index, index === 0 || progress === 'of all' ? 'inherit' : 'ignore'),
    ),
  );
  const found = shares.filter((share) => share !== null);
  if (found.length === SHARES) return found;
  process.exitCode = 2;
  return null;
}

async function shareResult<T>(index: number, errors: 'inherit' | 'ignore'): Promise<T | null> {
  const args = [...process.execArgv, ...process.argv.slice(1), '--share', `${index}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', errors] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return code === 0 ? JSON.parse(output) : null;
}
