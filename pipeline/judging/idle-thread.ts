// Keeps the judging thread of a run that has ended for the next run of the process: loading all requirements takes longer
// than judging most traces.
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../worker.ts';

/** Milliseconds after which an idle thread is ended, as it holds the requirements in memory. */
const MOST_IDLE = 10_000;

/** A thread between two traces. One is enough: several runs at the same time are rare. */
let idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | null = null;

/** A thread that judges nothing yet: the idle one, or a new one. It does not keep the process alive. */
export function takeThread(): Worker {
  const taken = idle;
  if (taken !== null) {
    idle = null;
    clearTimeout(taken.timer);
    return taken.worker;
  }
  const worker = startWorker(new URL('./judge-worker', import.meta.url), null);
  // A run that breaks off before there is anything to judge ends without the judge.
  worker.unref();
  // One that breaks down between two traces is not given out again; its error concerns no trace.
  worker.on('error', () => forget(worker));
  return worker;
}

/** Gives back a thread that has judged its trace to the end, or has none; nothing listens to it any more. */
export async function returnThread(worker: Worker): Promise<void> {
  if (idle !== null) {
    await worker.terminate();
    return;
  }
  worker.unref();
  const timer = setTimeout(() => {
    forget(worker);
    void worker.terminate();
  }, MOST_IDLE);
  timer.unref();
  idle = { worker, timer };
}

function forget(worker: Worker): void {
  if (idle?.worker !== worker) return;
  clearTimeout(idle.timer);
  idle = null;
}
