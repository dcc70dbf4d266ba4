import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { BinaryResponse, EventStreamResponse, sendError, sendResponse } from './response.ts';

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

it('a stream is destroyed if the client has disconnected before it begins', async () => {
  const response = newResponse().destroy();
  const bytes = new Readable({ read: () => undefined });
  await sendResponse(response, new BinaryResponse('text/plain', bytes));
  expect(bytes.destroyed).toBe(true);
});

it.each(['text', 'nothing'])(
  'an error as %s replaces the header fields of a stream that fails at once',
  async (form) => {
    const failing = () =>
      new Readable({
        read() {
          this.destroy(new ApiError(500, 'Failed.'));
        },
      });
    for (const outcome of [
      new BinaryResponse('audio/mpeg', failing(), 99),
      new EventStreamResponse(failing()),
    ]) {
      const response = newResponse();
      const error: unknown = await sendResponse(response, outcome).catch((reason: unknown) => reason);
      sendError(response, error, { takes: () => form });
      const { 'content-type': type, 'content-length': length, ...others } = response.getHeaders();
      expect([type, length, others]).toEqual([
        form === 'text' ? 'text/plain; charset=utf-8' : undefined,
        form === 'text' ? undefined : 0,
        {},
      ]);
    }
  },
);
