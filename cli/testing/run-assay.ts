import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { type CommandOptions, type CommandResult, environmentOf, queueInProcess } from './in-process.ts';

export type { CommandOptions, CommandResult } from './in-process.ts';

/**
 * Runs a command line and waits for its end: the compiled command, in the process of the test, which takes a fraction of the
 * time of a process for each. Its children write to the output of the tests.
 */
export function runAssay(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return queueInProcess(args, options);
}

/** Runs the command in a process of its own, where its start, its end or the output of its children matters. */
export async function spawnAssay(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const child = launchAssay(args, options);
  const [stdout, stderr, code] = await Promise.all([all(child.stdout), all(child.stderr), ending(child)]);
  return { code, stdout, stderr };
}

/** A server command that has printed its first line, on stdout or stderr. */
export interface ServingCommand {
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startServing(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<ServingCommand> {
  const child = launchAssay(args, options);
  const ended = ending(child);
  const errors = all(child.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    void ended.then(async (code) => reject(new Error(`ended with ${code}: ${await errors}`)));
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { url, child, stop };
}

/** Starts the real command, compiled from the sources as they are. */
export function launchAssay(args: readonly string[], { cwd, env }: CommandOptions = {}) {
  return spawn(process.execPath, [inject('main'), ...args], {
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

function ending(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}

async function all(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const piece of stream) text += piece;
  return text;
}
