import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError } from '../server/api-error.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, written } from '../server/response.ts';

/**
 * Writes what a handler answered. The head is sent with the first byte, so a stream that fails before it has one is answered
 * as a refusal; one that fails later ends the connection.
 */
export async function sendResponse(response: ServerResponse, outcome: unknown): Promise<void> {
  if (outcome instanceof EventStreamResponse) {
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('cache-control', 'no-cache');
    return pour(Readable.from(written(outcome.events)), response);
  }
  if (outcome instanceof BinaryResponse) {
    response.setHeader('content-type', outcome.type);
    if (outcome.size !== null) response.setHeader('content-length', outcome.size);
    if (outcome.bytes instanceof Readable) return pour(outcome.bytes, response);
    response.end(outcome.bytes);
    return;
  }
  if (outcome instanceof JsonResponse) setHeaders(response, outcome.headers);
  // A bare null, string or number is an answer, too.
  sendJson(response, outcome instanceof JsonResponse ? outcome.value : outcome);
}

/** Writes an error. What is not a Refusal is a defect of this service: 500. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const apiError = refusalOf(error);
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

/** An error as a refusal; one that nobody foresaw as 500. */
export function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ApiError(500, `The service failed on this request, which is a defect of its own: ${why}`, {
    type: 'server_error',
  });
}

/** Ends when all is written, or when the client has gone: then the source is ended too. */
function pour(source: Readable, response: ServerResponse): Promise<void> {
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
