import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { messageOf } from '../../schemas/error-message.ts';
import type { Service } from '../state/service.ts';
import { ApiError } from './api-error.ts';

/** Handlers that need no additional headers return the bare value. */
export class JsonResponse {
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: unknown, headers: Readonly<Record<string, string>>) {
    this.value = value;
    this.headers = headers;
  }
}

/** A server-sent event; `data` is sent as JSON unless it is text already (`[DONE]`). */
export interface ServerEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** The head is sent with the first event. */
export class EventStreamResponse {
  readonly events: AsyncIterable<ServerEvent> | Iterable<ServerEvent>;
  constructor(events: AsyncIterable<ServerEvent> | Iterable<ServerEvent>) {
    this.events = events;
  }
}

/** `size` is sent as Content-Length unless it is null. */
export class BinaryResponse {
  readonly type: string;
  readonly bytes: Uint8Array | Readable | string;
  readonly size: number | null;
  constructor(type: string, bytes: Uint8Array | Readable | string, size: number | null = null) {
    this.type = type;
    this.bytes = bytes;
    this.size = size;
  }
}

function* syncFrames(events: Iterable<ServerEvent>): Generator<string> {
  for (const event of events) yield encodeFrame(event);
}

async function* asyncFrames(events: AsyncIterable<ServerEvent>): AsyncGenerator<string> {
  for await (const event of events) yield encodeFrame(event);
}

/** Serialized JSON has no line breaks, so one `data` line is enough. */
function encodeFrame({ event, data }: ServerEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Rejects if a stream fails, even after its head has been sent. */
export async function sendResponse(response: ServerResponse, outcome: unknown): Promise<void> {
  if (outcome instanceof EventStreamResponse) {
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('cache-control', 'no-cache');
    const { events } = outcome;
    // Events of a synchronous source are not awaited one by one.
    const frames = Symbol.iterator in events ? syncFrames(events) : asyncFrames(events);
    return writeStream(Readable.from(frames), response);
  }
  if (outcome instanceof BinaryResponse) {
    // An empty type means that no content type is sent.
    if (outcome.type !== '') response.setHeader('content-type', outcome.type);
    if (outcome.size !== null) response.setHeader('content-length', outcome.size);
    if (outcome.bytes instanceof Readable) return writeStream(outcome.bytes, response);
    response.end(outcome.bytes);
    return;
  }
  if (outcome instanceof JsonResponse) setHeaders(response, outcome.headers);
  sendJson(response, outcome instanceof JsonResponse ? outcome.value : outcome);
}

/** Sends an error, or closes the connection if the head has been sent. Errors other than ApiError become 500. */
export function sendError(response: ServerResponse, error: unknown, service: Pick<Service, 'takes'>): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const apiError = toApiError(error);
  // The failed response may have set them already.
  for (const name of ['cache-control', 'content-type', 'content-length']) response.removeHeader(name);
  setHeaders(response, apiError.headers);
  response.statusCode = statusOf(apiError, service);
  sendErrorBody(response, apiError, service.takes('errors.body.form'));
}

function statusOf({ status, param }: ApiError, service: Pick<Service, 'takes'>): number {
  if (status === 404 && param === 'id') return Number(service.takes('errors.status.of-unknown-id'));
  if (status === 409 || status === 422) return statusOfUncancellable(status, service);
  return status === 400 ? Number(service.takes('errors.status.of-violation')) : status;
}

/** The configured status, but never 404 if every cancellation is refused: that would mean an unserved path. */
function statusOfUncancellable(status: number, service: Pick<Service, 'takes'>): number {
  const alternative = Number(service.takes('errors.status.of-refused-cancellation'));
  return alternative === 404 && status === 422 ? status : alternative;
}

function sendErrorBody(response: ServerResponse, apiError: ApiError, form: string): void {
  switch (form) {
    case 'other JSON':
      sendJson(response, { detail: [{ msg: apiError.message, loc: apiError.param }] });
      return;
    case 'text':
      response.setHeader('content-type', 'text/plain; charset=utf-8');
      response.end(apiError.message);
      return;
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

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(
    500,
    `The service failed on this request, which is a defect of the service: ${messageOf(error)}`,
    { type: 'server_error' },
  );
}

/** Resolves when the source has ended or the client has disconnected, which destroys the source. */
function writeStream(source: Readable, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      source.destroy();
      resolve();
    };
    // A client that disconnected while its request was handled causes no further event.
    if (response.destroyed) return stop();
    response.once('close', stop);
    source.once('error', reject).once('end', resolve);
    source.pipe(response);
  });
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
