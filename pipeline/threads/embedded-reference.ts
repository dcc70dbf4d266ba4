import type { ReferenceOptions } from '../../reference/service.ts';
import { IdleThread } from './idle-thread.ts';
import { requestReply } from './worker.ts';

export type ReferenceRequest =
  | {
      readonly kind: 'open';
      readonly options: Pick<ReferenceOptions, 'apiKey' | 'secondKey' | 'betaHeader' | 'pace'>;
    }
  | { readonly kind: 'close' };

export type ReferenceReply =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

/** Runs in quick succession share a thread, because loading the reference takes half a second of CPU. */
const idleThread = new IdleThread(new URL('./reference-worker', import.meta.url));

/** The reference runs in a worker thread, where it does not delay the driver. Rejects if it cannot listen. */
export async function startEmbeddedReference(
  options: Extract<ReferenceRequest, { kind: 'open' }>['options'],
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const worker = idleThread.take();
  worker.ref();
  const send = (request: ReferenceRequest) => requestReply<ReferenceRequest, ReferenceReply>(worker, request);
  const reply = await send({ kind: 'open', options });
  if (reply.kind !== 'listening') {
    await worker.terminate();
    const why = reply.kind === 'failed' ? `: ${reply.message}` : '';
    throw new Error(`The reference service did not start${why}.`);
  }
  let isOpen = true;
  return {
    url: reply.url,
    close: async () => {
      // The thread may already serve a later run.
      if (!isOpen) return;
      isOpen = false;
      const end = await send({ kind: 'close' }).catch(() => null);
      if (end?.kind === 'closed') await idleThread.release(worker);
      else await worker.terminate();
    },
  };
}
