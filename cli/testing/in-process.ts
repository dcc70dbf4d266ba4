import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject, vi } from 'vitest';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Folder and additional environment of a command. The default environment has no keys and no colours. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Loads the compiled command line, as users run it; its worker threads need no TypeScript. */
async function loadCompiledMain(): Promise<(args: readonly string[]) => Promise<number>> {
  const program = pathToFileURL(join(dirname(inject('main')), '../lib/program.js'));
  return (await import(program.href)).main;
}

/** The last queued command. Commands run in sequence, because each replaces environment, folder and output. */
let previous: Promise<unknown> = Promise.resolve();

export type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void;

export function queueInProcess(
  args: readonly string[],
  options: CommandOptions,
  onOutput: OutputListener = () => {},
): Promise<CommandResult> {
  const result = previous.then(() => runHere(args, options, onOutput));
  previous = result.catch(() => {});
  return result;
}

async function runHere(
  args: readonly string[],
  { cwd = process.cwd(), env }: CommandOptions,
  onOutput: OutputListener,
): Promise<CommandResult> {
  const main = await loadCompiledMain();
  const restore = enterEnvironment(cwd, env);
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((...parts: readonly unknown[]) => {
      const text = String(parts[0]);
      printed[stream] += text;
      onOutput(stream, text);
      // The stream never fills up. The last argument may be a callback.
      const done = parts.at(-1);
      if (typeof done === 'function') process.nextTick(done);
      return true;
    }),
  );
  try {
    return { code: await main(args), ...printed };
  } finally {
    restore();
    for (const spy of spies) spy.mockRestore();
  }
}

function enterEnvironment(cwd: string, env: Readonly<NodeJS.ProcessEnv> | undefined): () => void {
  const before = { cwd: process.cwd(), env: process.env };
  process.chdir(cwd);
  process.env = environmentOf(env);
  return () => {
    process.chdir(before.cwd);
    process.env = before.env;
  };
}

export function environmentOf(env: Readonly<NodeJS.ProcessEnv> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NO_COLOR: '1',
    CI: 'true',
    ...env,
  };
}
