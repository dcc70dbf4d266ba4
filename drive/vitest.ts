import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Errand } from './wire.ts';

const self = fileURLToPath(import.meta.url);
/** The folder that holds the rooms: the project as source, `dist` once compiled. */
const root = dirname(dirname(self));
const entry = join('drive', `entry${extname(self)}`);

/**
 * Runs the entry file in one worker thread; gives back errors that belong to no test.
 * Nothing of the user's vitest is picked up, nothing is printed, nothing is written beside the sources.
 */
export async function runVitest(errand: Errand): Promise<readonly string[]> {
  const { startVitest } = await import('vitest/node');
  const environment = { ...process.env };
  const { exitCode } = process;
  const cacheDir = mkdtempSync(join(tmpdir(), 'assay-run-'));
  const errors: string[] = [];
  try {
    const vitest = await startVitest(
      'test',
      [],
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
              errors.push(...[...failed, ...unhandled].map(({ message }) => message));
            },
          },
        ],
      },
      { envDir: false, cacheDir, logLevel: 'silent', publicDir: false },
    );
    await vitest.close();
  } finally {
    rmSync(cacheDir, { recursive: true, force: true });
    process.exitCode = exitCode;
    restore(environment);
  }
  return errors;
}

/** vitest marks its process as a test; ours is none, and children inherit the environment. */
function restore(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}
