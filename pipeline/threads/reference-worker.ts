// Serves the embedded reference in a worker thread: one service after the other, each until it is asked to close.
import { parentPort } from 'node:worker_threads';
import { type Reference, startReference } from '../../reference/service.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { FromReference, ToReference } from './embedded-reference.ts';

/** The service that listens now. */
let reference: Reference | null = null;

/** Does what a message asks for; rejects where the port or the folder of the service is not to be had. */
async function take(message: ToReference): Promise<FromReference> {
  if (message.kind === 'open') {
    reference = await startReference(message.options);
    return { kind: 'listening', url: reference.url };
  }
  await reference?.close();
  reference = null;
  return { kind: 'closed' };
}

parentPort?.on('message', (message: ToReference) => {
  void take(message)
    .catch((error: unknown): FromReference => ({ kind: 'failed', message: messageOf(error) }))
    .then((answer) => parentPort?.postMessage(answer));
});
