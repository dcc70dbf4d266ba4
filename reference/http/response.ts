import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError } from '../server/api-error.ts';
import { BinaryResponse, EventStreamResponse, eventFrames, JsonResponse } from '../server/response.ts';

/**
 * Writes the response of a handler. The head is sent with the first byte, so a stream that fails before its first byte is
 * answered with an error; one that fails later resets the connection.
 */
export async function sendResponse(response: ServerResponse, outcome: unknown): Promise<void> {
  if (outcome instanceof EventStreamResponse) {
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('cache-control', 'no-cache');
    return writeStream(Readable.from(eventFrames(outcome.events)), response);
  }
  if (outcome instanceof BinaryResponse) {
    response.setHeader('content-type', outcome.type);
    if (outcome.size !== null) response.setHeader('content-length', outcome.size);
    if (outcome.bytes instanceof Readable) return writeStream(outcome.bytes, response);
    response.end(outcome.bytes);
    return;
  }
  if (outcome instanceof JsonResponse) setHeaders(response, outcome.headers);
  // A bare null, string or number is also a JSON response.
  sendJson(response, outcome instanceof JsonResponse ? outcome.value : outcome);
}

/** Writes an error; resets the connection when the head is sent already. Errors other than ApiError become 500. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const apiError = toApiError(error);
  response.removeHeader('cache-control');
  setHeaders(response, apiError.headers);
  response.statusCode = apiError.status;
  sendJson(response, apiError.envelope());
}

function sendJson(response: ServerResponse, value: unknown): void {
  const text = JSON.stringify(value);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
}

/** An error as an ApiError: an unexpected one is a defect of this service, 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(
    500,
    `The service failed on this request, which is a defect of the service: ${messageOf(error)}`,
    {
      type: 'server_error',
    },
  );
}

/** Returns when everything is written, or when the client has disconnected; then the source is destroyed. */
function writeStream(source: Readable, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('close', () => {
      source.destroy();
      resolve();
    });
    source.once('error', reject).once('end', resolve);
    source.pipe(response);
  });
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
