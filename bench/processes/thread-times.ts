// This module is loaded before an `assay` command. It writes for how many seconds the event loop of each thread was
// busy to the file that BENCH_THREAD_TIMES names: `{ "driver": 1.2, "judge-worker": 0.9, "reference-worker": 0.8 }`.
import { writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isMainThread, Worker, type WorkerOptions } from 'node:worker_threads';

/** Time between samples; the work of a worker after its last sample is not counted. */
const SAMPLE_MS = 20;

if (isMainThread) watchThreads(process.env['BENCH_THREAD_TIMES'] ?? '');

function watchThreads(file: string): void {
  const busy: Record<string, number> = {};
  const samplers: (() => void)[] = [() => record('driver', performance.eventLoopUtilization().active)];
  const record = (thread: string, milliseconds: number): void => {
    busy[thread] = Math.max(busy[thread] ?? 0, milliseconds / 1000);
  };
  class WatchedWorker extends Worker {
    constructor(script: URL, options: WorkerOptions) {
      // Leaves out the arguments of this process, which load this module.
      super(script, { ...options, execArgv: [] });
      const name = basename(script.pathname, '.js');
      samplers.push(() => record(name, this.performance.eventLoopUtilization().active));
    }
  }
  Object.assign(createRequire(import.meta.url)('node:worker_threads'), { Worker: WatchedWorker });
  syncBuiltinESMExports();
  const sample = (): void => {
    for (const sampler of samplers) sampler();
  };
  setInterval(sample, SAMPLE_MS).unref();
  process.on('exit', () => {
    sample();
    writeFileSync(file, JSON.stringify(busy));
  });
}
