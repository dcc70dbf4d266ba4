import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { errorCode, messageOf } from '../../schemas/error-message.ts';

/**
 * Waits until a server should stop. Without a command: announces the URL on stdout, waits for SIGINT, SIGTERM or SIGHUP
 * and resolves to 0. With one: announces the URL on stderr, runs the command with ASSAY_BASE_URL and OPENAI_BASE_URL
 * set, forwards signals except Ctrl-C to it, and resolves to its exit code. Rejects with StartError if it cannot start.
 */
export async function serveUntilStopped(
  { url }: { readonly url: string },
  command: readonly string[],
  announce: (url: string, stream: NodeJS.WriteStream) => void = (text, stream) => stream.write(`${text}\n`),
): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) {
    announce(url, process.stdout);
    await waitForStopSignal();
    return 0;
  }
  announce(url, process.stderr);
  const env = { ...process.env, ASSAY_BASE_URL: url, OPENAI_BASE_URL: url };
  return waitForChild(startChild(program, args, env), program);
}

export function noTrafficHint(code: number): string {
  return code === 0
    ? 'The proxy received no request: does the client take its base URL from OPENAI_BASE_URL or ASSAY_BASE_URL?'
    : `The proxy received no request: the command ended with exit code ${code} before it sent one.`;
}

/** Signals that stop a command. SIGKILL cannot be caught; `assay recover` finishes a recording that it interrupted. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function onStop(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}

/** Waits for a signal; a second one ends the process at once. */
function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const release = onStop(() => {
      release();
      onStop((signal) => process.exit(exitCodeOfSignal(signal)));
      resolve();
    });
  });
}

/** `signal` aborts on SIGINT, SIGTERM or SIGHUP; a second one ends the process. `release` removes the handlers. */
export function abortOnStopSignal(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const release = onStop((signal) => {
    if (controller.signal.aborted) process.exit(exitCodeOfSignal(signal));
    process.stderr.write('\nstopping; repeat to stop at once\n');
    controller.abort();
  });
  return { signal: controller.signal, release };
}

/** The command could not be started. This is not a usage error, because the options of assay are valid. */
class StartError extends Error {
  override readonly name = 'StartError';
}

/** Throws StartError for what `spawn` refuses at once, such as an empty name or too long arguments. */
function startChild(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  try {
    return spawn(program, args, { stdio: 'inherit', env });
  } catch (error) {
    throw startError(program, error);
  }
}

function startError(program: string, error: unknown): StartError {
  const why = errorCode(error) === 'ENOENT' ? 'the command does not exist' : messageOf(error);
  return new StartError(`Cannot start ${JSON.stringify(program)}: ${why}.`);
}

function waitForChild(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const release = onStop((signal) => {
      // Ctrl-C in a terminal reaches the command too, and many programs stop without cleanup on a second SIGINT.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
    child.once('error', (error) => {
      release();
      reject(startError(program, error));
    });
    child.once('exit', (code, signal) => {
      release();
      resolve(code ?? exitCodeOfSignal(signal ?? 'SIGTERM'));
    });
  });
}

function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
