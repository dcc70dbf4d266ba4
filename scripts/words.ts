// The command lines of scripts, and scripts that share their work with processes of their own.
import { spawn } from 'node:child_process';
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

/** Runs this script again with `--share INDEX`, and reads the JSON that it prints; null if it failed. */
export async function shareResult<T>(index: number, errors: 'inherit' | 'ignore'): Promise<T | null> {
  const args = [...process.execArgv, ...process.argv.slice(1), '--share', `${index}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', errors] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return code === 0 ? JSON.parse(output) : null;
}
