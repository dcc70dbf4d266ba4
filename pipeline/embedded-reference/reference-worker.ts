// Serves the embedded reference in a worker thread until it is asked to close.

import { parentPort, workerData } from 'node:worker_threads';
import { type ReferenceOptions, startReference } from '../../reference/service.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { FromReference } from './embedded-reference.ts';

/** Posts to the thread that started this one. */
function send(message: FromReference): void {
  parentPort?.postMessage(message);
}

try {
  const reference = await startReference(workerData as ReferenceOptions); // as: only embedded-reference.ts starts this thread
  parentPort?.once('message', () => {
    reference.close().then(
      () => send({ kind: 'closed' }),
      (error: unknown) => send({ kind: 'failed', message: String(error) }),
    );
  });
  send({ kind: 'listening', url: reference.url });
} catch (error) {
  send({ kind: 'failed', message: messageOf(error) });
}
