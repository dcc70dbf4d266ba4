import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Errand } from './wire.ts';

const self = fileURLToPath(import.meta.url);
/** What broke a run, and whether the machine it runs on is to blame, or we. */
export interface Breakdown {
  readonly message: string;
  readonly whose: 'disk' | 'ours';
}

/** The folder that holds the rooms: the project as source, `dist` once compiled. */
const root = dirname(dirname(self));
const signals = ['SIGINT', 'SIGTERM'] as const;
const entry = join('drive', `entry${extname(self)}`);

/**
 * Runs the entry file in one worker thread; gives back errors that belong to no test.
 * Nothing of the user's vitest is picked up, nothing is printed, nothing is written beside the sources.
 */
export async function runVitest(errand: Errand): Promise<readonly Breakdown[]> {
  const { createVitest } = await import('vitest/node');
  const environment = { ...process.env };
  const { exitCode } = process;
  const cacheDir = mkdtempSync(join(tmpdir(), 'assay-run-'));
  const errors: Breakdown[] = [];
  const handlers = signals.map((signal) => process.listeners(signal));
  try {
    const vitest = await createVitest(
      'test',
      {
        config: false,
        root,
        dir: root,
        include: [entry],
        exclude: [],
        watch: false,
        pool: 'threads',
        maxWorkers: 1,
        isolate: false,
        fileParallelism: false,
        maxConcurrency: errand.configuration.concurrency,
        testTimeout: 0,
        hookTimeout: 0,
        cache: false,
        // Compiled JavaScript needs no transforming: node imports it as it is.
        server: { deps: { external: [/\.js$/] } },
        disableConsoleIntercept: true,
        provide: { errand },
        reporters: [
          {
            onTestRunEnd(modules, unhandled) {
              const failed = modules.flatMap((module) => module.errors());
              errors.push(...[...failed, ...unhandled].map(breakdown));
            },
          },
        ],
      },
      { envDir: false, cacheDir, logLevel: 'silent', publicDir: false },
    );
    dropHandlers(handlers);
    await vitest.start();
    await vitest.close();
  } finally {
    rmSync(cacheDir, { recursive: true, force: true });
    process.exitCode = exitCode;
    restore(environment);
  }
  return errors;
}

/** As vitest hands on what was thrown in its worker: without its class. */
function breakdown(error: { readonly name?: string; readonly message: string }): Breakdown {
  const { name, message } = error;
  const system = 'code' in error && 'syscall' in error;
  return { message, whose: system || name === 'CassetteError' ? 'disk' : 'ours' };
}

/** vitest exits at once when interrupted; we end the run first, so its handlers go. */
function dropHandlers(ours: readonly (readonly NodeJS.SignalsListener[])[]): void {
  for (const [i, signal] of signals.entries()) {
    for (const handler of process.listeners(signal)) {
      if (!ours[i]?.includes(handler)) process.off(signal, handler);
    }
  }
}

/** vitest marks its process as a test; ours is none, and children inherit the environment. */
function restore(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}
