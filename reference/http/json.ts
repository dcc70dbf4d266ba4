import type { IncomingMessage } from 'node:http';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError, shorten } from './api-error.ts';

export { isJsonList, isJsonObject, type Json, type JsonObject } from '../../schemas/json.ts';

/** Metadata of an object: up to 16 pairs of strings. The schema checks the limits. */
export type Metadata = Readonly<Record<string, string>>;

const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Serializing a much deeper value would exhaust the stack. */
const MAX_DEPTH = 512;
/** Fatal: replacement characters would change the content silently. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The parsed body; undefined if it is empty or blank. @throws ApiError 400 if it is not UTF-8 or JSON, or too deep. */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw ApiError.invalid(null, 'The body is not valid UTF-8; send JSON encoded as UTF-8.');
  }
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw ApiError.invalid(null, `The body is not valid JSON (${messageOf(error)}); send a JSON object.`);
  }
  if (measureDepth(text) > MAX_DEPTH) {
    throw ApiError.invalid(null, `The body is nested deeper than ${MAX_DEPTH} levels; send a flatter one.`);
  }
  return value;
}

function measureDepth(text: string): number {
  let depth = 0;
  let maxDepth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character === '\\') at += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > maxDepth) maxDepth = depth;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return maxDepth;
}

export function requestMediaType(headers: IncomingMessage['headers']): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Returns the parsed body; undefined for GET and HEAD, and if the body is missing, empty or blank.
 * @throws ApiError 415 for a media type other than JSON, 413 above the limit, 400 for invalid or incomplete JSON.
 */
export async function readJsonBody(message: IncomingMessage): Promise<unknown> {
  const { headers, method } = message;
  if (method === 'GET' || method === 'HEAD') return undefined;
  const hasNoBody = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  if (headers['content-type'] === undefined && hasNoBody) return undefined;
  if (requestMediaType(headers) !== 'application/json') {
    const hint = 'send application/json, or a form where an endpoint takes files';
    const type = shorten(headers['content-type'] ?? '');
    throw new ApiError(415, `The content type '${type}' is not supported here; ${hint}.`);
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLargeError();
  return parseJson(await readBytes(message));
}

function readBytes(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: Error): void => {
      message.off('data', receive).pause();
      reject(error);
    };
    const receive = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) fail(tooLargeError());
      else chunks.push(chunk);
    };
    message.on('data', receive).once('end', () => resolve(Buffer.concat(chunks)));
    message.once('error', () => fail(ApiError.invalid(null, 'The body ends prematurely.')));
  });
}

function tooLargeError(): ApiError {
  return new ApiError(413, `The body is larger than ${MAX_BODY_BYTES} bytes; send less.`, {
    headers: { connection: 'close' },
  });
}
