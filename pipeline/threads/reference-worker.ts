import { parentPort } from 'node:worker_threads';
import { type Reference, serveReference } from '../../reference/service.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { ReferenceReply, ReferenceRequest } from './embedded-reference.ts';

let reference: Reference | null = null;

async function handle(message: ReferenceRequest): Promise<ReferenceReply> {
  if (message.kind === 'open') {
    reference = await serveReference(message.options);
    return { kind: 'listening', url: reference.url };
  }
  await reference?.close();
  reference = null;
  return { kind: 'closed' };
}

parentPort?.on('message', (message: ReferenceRequest) => {
  void handle(message)
    .catch((error: unknown): ReferenceReply => ({ kind: 'failed', message: messageOf(error) }))
    .then((answer) => parentPort?.postMessage(answer));
});
