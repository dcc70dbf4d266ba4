import type { Worker } from 'node:worker_threads';
import type { ReferenceOptions } from '../../reference/service.ts';
import { IdleThread } from './idle-thread.ts';

/** To the thread of the reference: starts a service, or closes the one that listens. */
export type ToReference =
  | {
      readonly kind: 'open';
      readonly options: Pick<ReferenceOptions, 'apiKey' | 'betaHeader' | 'pace'>;
    }
  | { readonly kind: 'close' };

export type FromReference =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

interface EmbeddedReference {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Kept between runs: starting one takes half a second of CPU to load the reference and compile the request
 * schemas.
 */
const threads = new IdleThread(new URL('./reference-worker', import.meta.url));

/**
 * Starts the reference in a worker thread: the driver reaches it by HTTP like any other target, and does not
 * share its CPU. Rejects if it cannot listen.
 */
export async function startEmbeddedReference(
  options: Extract<ToReference, { kind: 'open' }>['options'],
): Promise<EmbeddedReference> {
  const worker = threads.take();
  worker.ref();
  const first = await answerTo(worker, { kind: 'open', options });
  if (first.kind !== 'listening') {
    await worker.terminate();
    throw new Error(`The reference service did not start${'message' in first ? `: ${first.message}` : ''}.`);
  }
  return {
    url: first.url,
    close: async () => {
      const last = await answerTo(worker, { kind: 'close' }).catch(() => null);
      if (last?.kind === 'closed') await threads.giveBack(worker);
      else await worker.terminate();
    },
  };
}

function answerTo(worker: Worker, message: ToReference): Promise<FromReference> {
  return new Promise<FromReference>((resolve, reject) => {
    const onExit = () => reject(new Error('its thread has ended'));
    const detach = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (answer: FromReference): void => {
      detach();
      resolve(answer);
    };
    const onError = (error: unknown): void => {
      detach();
      reject(error);
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    // An exited thread emits nothing any more.
    if (worker.threadId === -1) onExit();
    else worker.postMessage(message);
  });
}
