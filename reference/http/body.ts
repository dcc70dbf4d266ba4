import type { IncomingMessage } from 'node:http';
import { ApiError, shorten } from '../server/api-error.ts';
import { parseJson } from '../server/json.ts';

/** Largest JSON body, in bytes. */
const bodyLimit = 64 * 1024 * 1024;

/** The media type of a message in lower case, without parameters; the empty string where none is named. */
export function requestMediaType(headers: IncomingMessage['headers']): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * The JSON body of a request, or undefined where it has none.
 * @throws ApiError 415 for another media type, 413 above the limit, 400 for broken JSON or a body that breaks off.
 */
export async function readJsonBody(message: IncomingMessage): Promise<unknown> {
  const { headers, method } = message;
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (headers['content-type'] === undefined && isEmpty(headers)) return undefined;
  if (requestMediaType(headers) !== 'application/json') throw unsupported(headers['content-type'] ?? '');
  if (Number(headers['content-length'] ?? 0) > bodyLimit) throw tooLarge();
  return parseJson(await readBytes(message));
}

function isEmpty(headers: IncomingMessage['headers']): boolean {
  const length = headers['content-length'] ?? '0';
  return headers['transfer-encoding'] === undefined && length === '0';
}

function readBytes(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (why: Error): void => {
      message.off('data', take).pause();
      reject(why);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > bodyLimit) stop(tooLarge());
      else chunks.push(chunk);
    };
    message.on('data', take).once('end', () => resolve(Buffer.concat(chunks)));
    message.once('error', () => stop(ApiError.invalid(null, 'The body breaks off before its end.')));
  });
}

function unsupported(type: string): ApiError {
  const wanted = 'send application/json, or a form where an endpoint takes files';
  return new ApiError(415, `The content type '${shorten(type)}' is not supported here; ${wanted}.`);
}

function tooLarge(): ApiError {
  return new ApiError(413, `The body is larger than ${bodyLimit} bytes; send less.`, {
    headers: { connection: 'close' },
  });
}
