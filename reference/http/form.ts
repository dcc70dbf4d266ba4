import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { messageOf } from '../../schemas/error-message.ts';
import { tryParseJson } from '../../schemas/json.ts';
import { ApiError } from './api-error.ts';
import { FileContent } from './file-content.ts';

/** Maximum number of bytes of a file part in memory; larger parts are streamed to disk. */
const MAX_PART_BYTES_IN_MEMORY = 256 * 1024;

export interface Upload {
  readonly field: string;
  /** File name from the client, without its folder. */
  readonly filename: string;
  /** The bytes; deleted after the call unless `isKept` is set. */
  readonly content: FileContent;
  /** True once something else owns the content. */
  isKept: boolean;
}

export interface ReceivedForm {
  /** Fields as received; names may repeat. A value declared as JSON is parsed. */
  readonly fields: readonly (readonly [name: string, value: unknown])[];
  /** By field name. Only the first file of a field is kept. */
  readonly uploads: Map<string, Upload>;
}

const limits = {
  /** Maximum size of an uploaded file in bytes (2 Limits). */
  fileSize: 512 * 1024 * 1024,
  fieldSize: 16 * 1024 * 1024,
  fields: 1000,
  files: 16,
  parts: 1000,
};

/**
 * Reads a multipart body until all parts have been received; large file parts are streamed to `directory`. Throws
 * ApiError 413 over the limits, and 400 for an unreadable form; then no file is left, and the rest of the body unread.
 */
export async function receiveForm(
  message: IncomingMessage,
  directory: string,
  makeName: () => string,
): Promise<ReceivedForm> {
  const fields: [string, unknown][] = [];
  const uploads = new Map<string, Upload>();
  const fileFields = new Set<string>();
  const receiveUpload = async (field: string, filename: string, stream: Readable): Promise<void> => {
    // The specification has one file per field, so a second one is discarded, even if it finishes first.
    const isFirst = !fileFields.has(field);
    fileFields.add(field);
    const content = await receiveContent(stream, join(directory, makeName()));
    if (isFirst) uploads.set(field, { field, filename, content, isKept: false });
    else await content.discard();
  };
  const receiving: Promise<void>[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const type = message.headers['content-type'] ?? '';
      const parser = new Busboy({ headers: { ...message.headers, 'content-type': type }, limits });
      const open = new Set<Readable>();
      let hasFailed = false;
      // An empty body is a form without parts, although the parser reports an unexpected end.
      let isEmpty = true;
      const fail = (error: Error): void => {
        hasFailed = true;
        message.unpipe(parser);
        for (const stream of open) stream.destroy(error);
        reject(error);
      };
      parser.on('error', (error: Error) => (isEmpty ? resolve() : fail(error))).once('finish', resolve);
      parser.once('partsLimit', () => fail(tooManyError('parts')));
      parser.once('filesLimit', () => fail(tooManyError('files')));
      parser.once('fieldsLimit', () => fail(tooManyError('fields')));
      parser.on('field', (...[field, value, , isTruncated, , type]) => {
        const content = parseField(field, value, type, isTruncated);
        if (content instanceof Error) fail(content);
        else fields.push([field, content]);
      });
      // The next part waits until the stream of a file has been read to its end.
      parser.on('file', (field, stream, filename) => {
        // A part after the failure may begin in the same chunk, but its end is never parsed.
        if (hasFailed) return void stream.resume();
        open.add(stream);
        stream
          .on('error', fail)
          .once('limit', () => fail(tooLargeError(field)))
          .once('close', () => open.delete(stream));
        if (field in Object.prototype) fail(forbiddenNameError(field));
        receiving.push(receiveUpload(field, filename, stream).catch(fail));
      });
      message.once('data', () => (isEmpty = false));
      message.once('close', () => {
        if (!message.readableEnded) fail(new Error('the request ended before the form did'));
      });
      message.pipe(parser);
    }).finally(() => Promise.all(receiving));
    return { fields, uploads };
  } catch (error) {
    await discardUploads(uploads.values());
    if (error instanceof ApiError) throw error;
    const hint = 'send multipart/form-data with a boundary';
    throw ApiError.invalid(null, `The form cannot be read (${messageOf(error)}); ${hint}.`);
  }
}

function parseField(name: string, value: string, type: string, isTruncated: boolean): unknown {
  if (name in Object.prototype) return forbiddenNameError(name);
  if (isTruncated) return new ApiError(413, `'${name}' is longer than ${limits.fieldSize} bytes; send less.`);
  if (!type.startsWith('application/json')) return value;
  const json = tryParseJson(value);
  return json === undefined ? new Error(`'${name}' is declared as JSON but is not valid JSON`) : json;
}

function forbiddenNameError(name: string): Error {
  return new Error(`'${name}' is not allowed as a name`);
}

function tooManyError(parts: string): ApiError {
  return new ApiError(413, `The form has too many ${parts}; send fewer.`);
}

function tooLargeError(field: string): ApiError {
  return new ApiError(413, `'${field}' is larger than 512 MB; upload a smaller file.`, { param: field });
}

export async function discardUploads(uploads: Iterable<Upload>): Promise<void> {
  for (const { content, isKept } of uploads) if (!isKept) await content.discard();
}

async function receiveContent(stream: Readable, path: string): Promise<FileContent> {
  const head: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    head.push(chunk);
    size += chunk.length;
    if (size > MAX_PART_BYTES_IN_MEMORY) break;
  }
  if (size <= MAX_PART_BYTES_IN_MEMORY) return new FileContent(path, size, Buffer.concat(head));
  const file = createWriteStream(path);
  const chunks = async function* (): AsyncGenerator<Buffer> {
    yield* head;
    yield* stream;
  };
  await pipeline(chunks, file).catch(async (error) => {
    await rm(path, { force: true });
    throw error;
  });
  return new FileContent(path, file.bytesWritten, null);
}
