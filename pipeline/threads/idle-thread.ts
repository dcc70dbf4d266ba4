// Keeps an idle thread for the next run of the process: loading its modules takes longer than most of its work.
import { Worker } from 'node:worker_threads';

/** Time until an idle thread is ended, because its modules take memory. */
const MAX_IDLE_MILLISECONDS = 10_000;

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
    worker.on('error', () => this.#forget(worker));
    return worker;
  }

  async giveBack(worker: Worker): Promise<void> {
    if (this.#idle !== null) {
      await worker.terminate();
      return;
    }
    worker.unref();
    const timer = setTimeout(() => {
      this.#forget(worker);
      void worker.terminate();
    }, MAX_IDLE_MILLISECONDS);
    timer.unref();
    this.#idle = { worker, timer };
  }

  #forget(worker: Worker): void {
    if (this.#idle?.worker !== worker) return;
    clearTimeout(this.#idle.timer);
    this.#idle = null;
  }
}

/** `file`: URL without the suffix. From source, the thread must first load TypeScript. */
export function startWorker(file: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`${file.href}.js`), { workerData });
  const [loader, entry] = [import.meta.resolve('tsx/esm/api'), `${file.href}.ts`].map((url) =>
    JSON.stringify(url),
  );
  // tsx registers per thread, so a script registers it and then imports the entry.
  const code = `import(${loader}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(code, { eval: true, workerData });
}

/** Sends a message and resolves with the next reply. Send one message at a time. Rejects if the thread fails or has ended. */
export function answerOf<Message, Answer>(worker: Worker, message: Message): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('its thread has ended'));
    const detach = () => worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    const onMessage = (answer: Answer): void => {
      detach();
      resolve(answer);
    };
    const onError = (error: unknown): void => {
      detach();
      reject(error);
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    // A thread that has already exited emits no event.
    if (worker.threadId === -1) onExit();
    else worker.postMessage(message);
  });
}
