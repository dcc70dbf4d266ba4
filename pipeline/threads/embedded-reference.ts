import type { ReferenceOptions } from '../../reference/service.ts';
import { answerOf, IdleThread } from './idle-thread.ts';

export type ToReference =
  | {
      readonly kind: 'open';
      readonly options: Pick<ReferenceOptions, 'apiKey' | 'secondKey' | 'betaHeader' | 'pace'>;
    }
  | { readonly kind: 'close' };

export type FromReference =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string };

/** Kept between runs: loading the reference and compiling its schemas takes half a second of CPU. */
const threads = new IdleThread(new URL('./reference-worker', import.meta.url));

/**
 * Starts the reference in a worker thread, so that the driver reaches it by HTTP and does not compete for its CPU. Rejects if
 * it cannot listen.
 */
export async function startEmbeddedReference(
  options: Extract<ToReference, { kind: 'open' }>['options'],
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const worker = threads.take();
  worker.ref();
  const first = await answerOf<ToReference, FromReference>(worker, { kind: 'open', options });
  if (first.kind !== 'listening') {
    await worker.terminate();
    throw new Error(`The reference service did not start${'message' in first ? `: ${first.message}` : ''}.`);
  }
  return {
    url: first.url,
    close: async () => {
      const last = await answerOf<ToReference, FromReference>(worker, { kind: 'close' }).catch(() => null);
      if (last?.kind === 'closed') await threads.giveBack(worker);
      else await worker.terminate();
    },
  };
}
