import type { Worker } from 'node:worker_threads';
import type { ReferenceOptions } from '../../reference/service.ts';
import { startWorker } from '../worker.ts';

/** A message of the thread of the reference service; the only message to it asks it to end. */
export type FromReference =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

/** A reference service in another thread. */
export interface EmbeddedReference {
  /** With `/v1`. */
  readonly url: string;
  /** Closes its connections and ends the thread. */
  close(): Promise<void>;
}

/**
 * Starts the reference service in a worker thread: the driver reaches it by HTTP alone, as any other target, and does
 * not share its time with it. Rejects where it cannot listen.
 */
export async function startEmbeddedReference(
  options: Pick<ReferenceOptions, 'apiKey' | 'betaHeader' | 'pace'>,
): Promise<EmbeddedReference> {
  const worker = startWorker(new URL('./reference-worker', import.meta.url), options);
  const first = await next(worker);
  if (first.kind !== 'listening') {
    await worker.terminate();
    throw new Error(`The reference service did not start${'message' in first ? `: ${first.message}` : ''}.`);
  }
  return {
    url: first.url,
    close: async () => {
      const closed = next(worker);
      worker.postMessage('close');
      await closed.finally(() => worker.terminate());
    },
  };
}

/**
 * The next message. A thread that ends without one counts as closed, so that nothing waits for it for ever.
 */
function next(worker: Worker): Promise<FromReference> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => resolve({ kind: 'closed' }));
  });
}
