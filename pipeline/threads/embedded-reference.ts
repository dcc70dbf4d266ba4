import type { Worker } from 'node:worker_threads';
import type { ReferenceOptions } from '../../reference/service.ts';
import { IdleThread } from './idle-thread.ts';

/** A message to the thread of the reference service: starts a service, or closes the one that listens. */
export type ToReference =
  | {
      readonly kind: 'open';
      readonly options: Pick<ReferenceOptions, 'apiKey' | 'betaHeader' | 'pace'>;
    }
  | { readonly kind: 'close' };

/** A message of the thread of the reference service. */
export type FromReference =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

/** A reference service in another thread. */
export interface EmbeddedReference {
  /** With `/v1`. */
  readonly url: string;
  /** Closes its connections and leaves the thread to the next service. */
  close(): Promise<void>;
}

/** Starting one takes half a second of the processor: it loads the reference, and compiles the schemas of requests. */
const threads = new IdleThread(new URL('./reference-worker', import.meta.url));

/**
 * Starts the reference service in a worker thread: the driver reaches it by HTTP alone, as any other target, and does
 * not share its time with it. Rejects where it cannot listen.
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

/** Posts a message, and gives the one that answers it. Rejects where the thread breaks down, or ends without an answer. */
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
    // A thread that has ended emits nothing any more.
    if (worker.threadId === -1) onExit();
    else worker.postMessage(message);
  });
}
