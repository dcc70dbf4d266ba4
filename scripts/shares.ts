// Divides the work of a script among child processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../schemas/error-message.ts';

/** Concurrent processes of a script: one per core of a small machine. */
export const SHARES = 2;

/** Does the share that `--share` names and prints its result as JSON, or else everything. Exits with 2 on failure. */
export async function runShareOrWhole(
  share: string | undefined,
  runShare: (index: number) => Promise<unknown>,
  runWhole: () => Promise<void>,
): Promise<void> {
  try {
    if (share === undefined) await runWhole();
    else process.stdout.write(JSON.stringify(await runShare(Number(share))));
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 2;
  }
}

/**
 * Runs this script once per share, and reads the JSON that each prints. Null if a share failed; the exit code is then
 * 2. `progress`: the shares whose messages, on progress and failures, are shown.
 */
export async function runAllShares<T>(progress: 'of all' | 'of the first'): Promise<readonly T[] | null> {
  const results = await Promise.all(
    Array.from({ length: SHARES }, (_, index) =>
      runChild<T>(index, index === 0 || progress === 'of all' ? 'inherit' : 'ignore'),
    ),
  );
  const outputs = results.filter((result) => result !== null);
  if (outputs.length === SHARES) return outputs;
  process.exitCode = 2;
  return null;
}

async function runChild<T>(index: number, errors: 'inherit' | 'ignore'): Promise<T | null> {
  const args = [...process.execArgv, ...process.argv.slice(1), '--share', `${index}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', errors] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return code === 0 ? JSON.parse(output) : null;
}
