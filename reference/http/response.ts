import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError } from '../server/api-error.ts';
import { BinaryResponse, EventStreamResponse, eventFrames, JsonResponse } from '../server/response.ts';
import type { Service } from '../state/service.ts';

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
    // An empty type stands for content without a label.
    if (outcome.type !== '') response.setHeader('content-type', outcome.type);
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
export function sendError(response: ServerResponse, error: unknown, service: Pick<Service, 'takes'>): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const apiError = toApiError(error);
  response.removeHeader('cache-control');
  setHeaders(response, apiError.headers);
  response.statusCode = statusOf(apiError, service);
  sendErrorBody(response, apiError, service.takes('errors.body.form'));
}

/** The status of an error: which one it is, the specification does not state. */
function statusOf({ status, param }: ApiError, service: Pick<Service, 'takes'>): number {
  if (status === 404 && param === 'id') return Number(service.takes('errors.status.of-unknown-id'));
  return status === 400 ? Number(service.takes('errors.status.of-violation')) : status;
}

/** The body of an error in one of the forms that the specification leaves open. */
function sendErrorBody(response: ServerResponse, apiError: ApiError, form: string): void {
  switch (form) {
    case 'other JSON':
      sendJson(response, { detail: [{ msg: apiError.message, loc: apiError.param }] });
      return;
    case 'text':
      response.setHeader('content-type', 'text/plain; charset=utf-8');
      response.end(apiError.message);
      return;
    // A length of 0 keeps the connection usable.
    case 'nothing':
      response.setHeader('content-length', 0);
      response.end();
      return;
    default:
      sendJson(response, apiError.envelope());
  }
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
