import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

/** A proxy or service of assay that accepts connections. */
export interface RunningServer {
  /** Base URL for clients, with `/v1`. */
  readonly url: string;
}

/**
 * Waits until a server is to be stopped. Without a command: prints the URL on stdout and waits for SIGINT or SIGTERM; resolves
 * to 0. With a command: prints the URL on stderr, starts the command with ASSAY_BASE_URL and OPENAI_BASE_URL set, forwards
 * signals, and resolves to the command's exit code.
 * @throws StartError when the command cannot be started.
 */
export async function serveUntilStopped(
  { url }: RunningServer,
  command: readonly string[],
  announce: (url: string, stream: NodeJS.WriteStream) => void = (text, stream) => stream.write(`${text}\n`),
): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) {
    announce(url, process.stdout);
    await stopSignal();
    return 0;
  }
  announce(url, process.stderr);
  const env = { ...process.env, ASSAY_BASE_URL: url, OPENAI_BASE_URL: url };
  return ofChild(spawn(program, args, { stdio: 'inherit', env }), program);
}

/**
 * The hint on a server that received no request although its URL was in the environment. `code` is the exit code of the
 * command: one that failed has most likely not come to its first request, so that its base URL is not to blame.
 */
export function noTrafficHint(code: number): string {
  if (code !== 0)
    return `The proxy received no request: the command ended with exit code ${code} before it sent one.`;
  return 'The proxy received no request: does the client take its base URL from OPENAI_BASE_URL or ASSAY_BASE_URL?';
}

/**
 * Signals that ask a process to end. SIGKILL cannot be caught; `assay recover` finishes what it interrupts.
 */
const STOPPING = ['SIGINT', 'SIGTERM'] as const;

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const other of STOPPING) {
        process.off(other, stop);
        process.once(other, () => process.exit(exitOf(other)));
      }
      resolve(signal);
    };
    for (const signal of STOPPING) process.on(signal, stop);
  });
}

/** An abort signal for SIGINT and SIGTERM; a second signal ends the process at once. `release` removes the handlers. */
export function interruption(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(exitOf(signal));
    process.stderr.write('\nstopping; repeat to stop at once\n');
    controller.abort();
  };
  for (const signal of STOPPING) process.on(signal, stop);
  const release = () => {
    for (const signal of STOPPING) process.off(signal, stop);
  };
  return { signal: controller.signal, release };
}

/** The command beside a proxy could not be started; the options of assay are not wrong. */
class StartError extends Error {
  override readonly name = 'StartError';
}

/** The exit code of a child process, while signals are forwarded to it. Rejects with StartError where it did not start. */
function ofChild(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    // A terminal signals the whole process group, so the child may get a signal twice, which is harmless.
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of STOPPING) process.on(signal, pass);
    const done = () => {
      for (const signal of STOPPING) process.off(signal, pass);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      done();
      const why = error.code === 'ENOENT' ? 'the command does not exist' : error.message;
      reject(new StartError(`Cannot start ${JSON.stringify(program)}: ${why}.`));
    });
    child.once('exit', (code, signal) => {
      done();
      resolve(code ?? exitOf(signal ?? 'SIGTERM'));
    });
  });
}

/** The exit code that shells report for a process ended by a signal. */
function exitOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
