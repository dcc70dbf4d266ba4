import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject, vi } from 'vitest';

/** What a command line left: its exit code, and its output as text. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Folder and additional environment of a command; default: those of the tests, without keys and colours. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The compiled command line: the modules that a user runs, with worker threads that need no TypeScript. */
async function compiledMain(): Promise<(args: readonly string[]) => Promise<number>> {
  const program = pathToFileURL(join(dirname(inject('main')), '../lib/program.js'));
  return (await import(program.href)).main;
}

/** Commands of a process run one after the other, as each replaces environment, folder and output of the process. */
let previous: Promise<unknown> = Promise.resolve();

/** Gets what a command line prints, while it runs. */
export type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void;

/** Queues a command line that runs in this process, and waits for its end. */
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
  const main = await compiledMain();
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((...parts: readonly unknown[]) => {
      const text = String(parts[0]);
      printed[stream] += text;
      onOutput(stream, text);
      // A stream that is never full; the callback, where there is one, is the last argument.
      const done = parts.at(-1);
      if (typeof done === 'function') process.nextTick(done);
      return true;
    }),
  );
  const restore = enter(cwd, env);
  try {
    return { code: await main(args), ...printed };
  } finally {
    restore();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Sets folder and environment of the process; the function returned restores them. */
function enter(cwd: string, env: Readonly<NodeJS.ProcessEnv> | undefined): () => void {
  const before = { cwd: process.cwd(), env: process.env };
  process.chdir(cwd);
  process.env = { ...environmentOf(env) };
  return () => {
    process.chdir(before.cwd);
    process.env = before.env;
  };
}

/** The environment of a command of the tests: keys and colours of the person who runs them stay out. */
export function environmentOf(env: Readonly<NodeJS.ProcessEnv> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NO_COLOR: '1',
    CI: 'true',
    ...env,
  };
}
