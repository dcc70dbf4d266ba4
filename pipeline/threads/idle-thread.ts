import type { Worker } from 'node:worker_threads';
import { startWorker } from './worker.ts';

/** An idle thread is ended after this time, because its modules take memory. */
const MAX_IDLE_MS = 10_000;

/** Keeps at most one idle thread, because concurrent runs are rare. */
export class IdleThread {
  readonly #file: URL;
  #idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | null = null;

  /** `file`: as for `startWorker`. The thread gets no `workerData`, and handles one job after another. */
  constructor(file: URL) {
    this.#file = file;
  }

  /** The idle thread, or a new one. It does not keep the process alive. */
  take(): Worker {
    const idle = this.#idle;
    if (idle !== null) {
      this.#idle = null;
      clearTimeout(idle.timer);
      return idle.worker;
    }
    const worker = startWorker(this.#file, null);
    worker.unref();
    // A thread that fails while idle affects no run.
    worker.on('error', () => {}).on('exit', () => this.#forget(worker));
    return worker;
  }

  async release(worker: Worker): Promise<void> {
    if (this.#idle !== null) {
      await worker.terminate();
      return;
    }
    worker.unref();
    const timer = setTimeout(() => {
      this.#forget(worker);
      void worker.terminate();
    }, MAX_IDLE_MS);
    timer.unref();
    this.#idle = { worker, timer };
  }

  #forget(worker: Worker): void {
    if (this.#idle?.worker !== worker) return;
    clearTimeout(this.#idle.timer);
    this.#idle = null;
  }
}
