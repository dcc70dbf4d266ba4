import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { type CommandOptions, type CommandResult, environmentOf, queueInProcess } from './in-process.ts';

export type { CommandOptions, CommandResult } from './in-process.ts';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs the compiled command in the process of the test, which is much faster than a separate process. Child processes
 * write to the output of the tests.
 */
export function runAssay(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return queueInProcess(args, options);
}

/** Runs the command in a separate process, for when startup, exit or the output of children matters. */
export async function spawnAssay(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const child = launchAssay(args, options);
  const [stdout, stderr, code] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    waitForEnd(child),
  ]);
  return { code, stdout, stderr };
}

export interface ServingCommand {
  readonly url: string;
  readonly child: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startServing(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<ServingCommand> {
  const child = launchAssay(args, options);
  const ended = waitForEnd(child);
  const errors = readAll(child.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    ended.then(async (code) => reject(new Error(`ended with ${code}: ${await errors}`))).catch(reject);
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { url, child, stop };
}

/** A command that runs in the test process. No other command runs there until it has ended. */
export interface InProcessCommand {
  readonly printed: { readonly stdout: string; readonly stderr: string };
  /** Resolves once the text is on stdout; rejects if the command ends first. */
  waitForText(text: string): Promise<void>;
  isRunning(): boolean;
  /** Calls the command's own handlers for the signal, and waits for the end. Further calls only wait. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface InProcessServer extends InProcessCommand {
  readonly url: string;
}

/** Like `startServing`, but in the process of the test, which is much faster and receives no signal. */
export async function serveInProcess(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<InProcessServer> {
  const running = startInProcess(args, options);
  await running.waitForText('\n');
  return { ...running, url: running.printed.stdout.split('\n', 1)[0] ?? '' };
}

export function startInProcess(args: readonly string[], options: CommandOptions = {}): InProcessCommand {
  const printed = { stdout: '', stderr: '' };
  const listAddedListeners = trackSignalListeners();
  const onOutput = new EventEmitter();
  let isRunning = true;
  const ended = queueInProcess(args, options, (stream, text) => {
    printed[stream] += text;
    onOutput.emit('output');
  }).finally(() => {
    isRunning = false;
    for (const [signal, listener] of listAddedListeners()) process.off(signal, listener);
  });
  const waitForText = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = () => {
        if (printed.stdout.includes(text)) resolve();
      };
      onOutput.on('output', check);
      ended.then(({ code }) => reject(new Error(`ended with ${code}: ${printed.stderr}`)), reject);
      check();
    });
  let isStopped = false;
  const stop = async (stopSignal: NodeJS.Signals) => {
    const listeners = isStopped ? [] : listAddedListeners();
    for (const [signal, listener] of listeners) if (signal === stopSignal) listener(signal);
    isStopped = true;
    return (await ended).code;
  };
  return { printed, waitForText, isRunning: () => isRunning, stop };
}

function trackSignalListeners(): () => readonly (readonly [NodeJS.Signals, NodeJS.SignalsListener])[] {
  const all = () =>
    SIGNALS.flatMap((signal) => process.listeners(signal).map((listener) => [signal, listener] as const));
  const before = new Set(all().map(([, listener]) => listener));
  return () => all().filter(([, listener]) => !before.has(listener));
}

export function launchAssay(args: readonly string[], { cwd, env }: CommandOptions = {}) {
  return spawn(process.execPath, [inject('main'), ...args], {
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** Resolves once the process has ended and its output has been read: at `exit` some of it may still be in the pipe. */
function waitForEnd(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const piece of stream) text += piece;
  return text;
}
