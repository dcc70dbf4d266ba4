import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { UsageError } from '../pipeline/usage-error.ts';

/** A server of ours that listens. */
export interface RunningServer {
  /** With `/v1`. */
  readonly url: string;
}

/**
 * Keeps a server up until it is told to stop. Without a command: prints the URL on stdout and waits for SIGINT or
 * SIGTERM; answers 0. With a command: prints the URL on stderr, starts the command with ASSAY_BASE_URL and
 * OPENAI_BASE_URL set, passes signals on, and answers with the command's exit code.
 * @throws UsageError when the command cannot be started.
 */
export async function serveUntilStopped({ url }: RunningServer, command: readonly string[]): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) {
    process.stdout.write(`${url}\n`);
    await stopSignal();
    return 0;
  }
  process.stderr.write(`${url}\n`);
  const env = { ...process.env, ASSAY_BASE_URL: url, OPENAI_BASE_URL: url };
  return ofChild(spawn(program, args, { stdio: 'inherit', env }), program);
}

/** What is likely where a command that was given our URL has sent nothing to it. */
export const NO_TRAFFIC_HINT =
  'Nothing came to the proxy: does the client take its base URL from OPENAI_BASE_URL or ASSAY_BASE_URL?';

const STOPPING = ['SIGINT', 'SIGTERM'] as const;

/** Settles at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function stopSignal(): Promise<NodeJS.Signals> {
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

/** An abort signal that SIGINT and SIGTERM set off; a second one ends the process at once. Release it when done. */
export function interruption(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(exitOf(signal));
    process.stderr.write('\nstopping; once more to stop at once\n');
    controller.abort();
  };
  for (const signal of STOPPING) process.on(signal, stop);
  const release = () => {
    for (const signal of STOPPING) process.off(signal, stop);
  };
  return { signal: controller.signal, release };
}

function ofChild(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    // A terminal sends its signals to the whole group; passing one on twice does no harm.
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of STOPPING) process.on(signal, pass);
    const done = () => {
      for (const signal of STOPPING) process.off(signal, pass);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      done();
      const why = error.code === 'ENOENT' ? 'there is no such command' : error.message;
      reject(new UsageError(`Cannot start ${JSON.stringify(program)}: ${why}.`));
    });
    child.once('exit', (code, signal) => {
      done();
      resolve(code ?? exitOf(signal ?? 'SIGTERM'));
    });
  });
}

/** What a shell says of a process that a signal ended. */
function exitOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
