import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../schemas/error-message.ts';

/** Concurrent processes of a script: one per core of a small machine. */
export const SHARES = 2;

/** Runs the share with this index and prints its result as JSON, or runs the whole. Exits with 2 on failure. */
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
 * 2. `progress`: whose messages are shown as they arrive; those of another share are shown only if it fails.
 */
export async function runAllShares<T>(progress: 'all' | 'first'): Promise<readonly T[] | null> {
  const results = await Promise.all(
    Array.from({ length: SHARES }, (_, index) => runChild<T>(index, index === 0 || progress === 'all')),
  );
  const outputs = results.filter((result) => result !== null);
  if (outputs.length === SHARES) return outputs;
  process.exitCode = 2;
  return null;
}

async function runChild<T>(index: number, showsProgress: boolean): Promise<T | null> {
  const args = [...process.execArgv, ...process.argv.slice(1), '--share', `${index}`];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', showsProgress ? 'inherit' : 'pipe'],
  });
  let output = '';
  let messages = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr?.setEncoding('utf8').on('data', (text) => (messages += text));
  const [code] = await once(child, 'close');
  if (code === 0) return JSON.parse(output);
  process.stderr.write(messages);
  return null;
}
