// Argument parsing for scripts, and scripts that share their work with child processes.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../schemas/error-message.ts';

export function scriptArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  options: O,
  usage: string,
): ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>> {
  // Before parsing, so that --help works with any other argument.
  if (process.argv.includes('--help')) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`${messageOf(error)}\nUsage: ${usage}`);
    process.exit(2);
  }
}

/** A number derived from a text, which selects a sample. */
export function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/** Concurrent processes of a script: one per core of a small machine. */
export const SHARES = 2;

/** Prints the share that `--share` names as JSON, or else does all of the work. Exits with 2 if either fails. */
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
 * Runs this script once for each share, and reads the JSON that each prints. Null if one failed, which has printed its
 * reason; the exit code is then 2. `progress`: the shares whose progress is shown.
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
