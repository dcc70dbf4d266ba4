// Keeps a thread that has done its work for the next run of the process: loading its modules takes longer than most of what
// it does.
import { Worker } from 'node:worker_threads';

/** Milliseconds after which an idle thread is ended, as its modules take memory. */
const MOST_IDLE = 10_000;

/** Threads that run the same file. It keeps one idle thread; several runs at the same time are rare. */
export class IdleThread {
  readonly #file: URL;
  #idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | null = null;

  /** `file`: as for `startWorker`; the file gets no data, and takes one piece of work after the other. */
  constructor(file: URL) {
    this.#file = file;
  }

  /** A thread without work: the idle one, or a new one. It does not keep the process alive. */
  take(): Worker {
    const taken = this.#idle;
    if (taken !== null) {
      this.#idle = null;
      clearTimeout(taken.timer);
      return taken.worker;
    }
    const worker = startWorker(this.#file, null);
    // A run that breaks off before there is any work ends without the thread.
    worker.unref();
    // One that breaks down without work is not given out again; its error concerns no run.
    worker.on('error', () => this.#forget(worker));
    return worker;
  }

  /** Gives back a thread that has completed its work, or got none; nothing listens to it any more. */
  async giveBack(worker: Worker): Promise<void> {
    if (this.#idle !== null) {
      await worker.terminate();
      return;
    }
    worker.unref();
    const timer = setTimeout(() => {
      this.#forget(worker);
      void worker.terminate();
    }, MOST_IDLE);
    timer.unref();
    this.#idle = { worker, timer };
  }

  #forget(worker: Worker): void {
    if (this.#idle?.worker !== worker) return;
    clearTimeout(this.#idle.timer);
    this.#idle = null;
  }
}

/**
 * Starts a file of this package in a new worker thread. `file`: its URL without the suffix. From source the thread has to
 * load TypeScript first, as the main thread did at its start.
 */
export function startWorker(file: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`${file.href}.js`), { workerData });
  const [loader, entry] = [import.meta.resolve('tsx/esm/api'), `${file.href}.ts`].map((url) =>
    JSON.stringify(url),
  );
  // tsx registers its loader per thread, so the entry is imported by a script that registers it first.
  const code = `import(${loader}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(code, { eval: true, workerData });
}
