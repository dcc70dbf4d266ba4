import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError } from './api-error.ts';

/** Largest file part that is kept in memory, in bytes; larger ones are streamed to disk. */
const inMemory = 256 * 1024;

export interface Upload {
  /** Name of the form field. */
  readonly field: string;
  /** File name from the client, without its folder. */
  readonly filename: string;
  /** Media type from the client; nothing depends on it. */
  readonly type: string;
  /** The bytes; deleted after the call unless `taken` is set. */
  readonly content: FileContent;
  /** True once something else owns the content. */
  taken: boolean;
}

/** A multipart form that has been read to its end. */
export interface ReceivedForm {
  /** In the order received; names may repeat. A value declared as JSON is parsed, any other is text. */
  readonly fields: readonly (readonly [name: string, value: unknown])[];
  /** Files by field name; only the first file of a field is kept. */
  readonly uploads: Map<string, Upload>;
}

/**
 * Reads a multipart body; large file parts go to `directory`, never into memory. Nothing is left there when it throws.
 * @throws ApiError 413 over the size limits, 400 for a form that cannot be read.
 */
export async function receiveForm(
  message: IncomingMessage,
  directory: string,
  name: () => string,
): Promise<ReceivedForm> {
  const form = { fields: [] as [string, unknown][], uploads: new Map<string, Upload>() };
  const keep = async (part: FilePart): Promise<void> => {
    const { field, filename, type, stream } = part;
    const content = await contentOf(stream, join(directory, name()));
    const upload: Upload = { field, filename, type, content, taken: false };
    // The specification has one file per field, so a second one is read and discarded.
    if (form.uploads.has(field)) await content.discard();
    else form.uploads.set(field, upload);
  };
  try {
    await readParts(message, { field: (field, value) => form.fields.push([field, value]), file: keep });
    return form;
  } catch (error) {
    await discard(form.uploads.values());
    throw error instanceof ApiError ? error : unreadable(error);
  }
}

export async function discard(uploads: Iterable<Upload>): Promise<void> {
  for (const { content, taken } of uploads) if (!taken) await content.discard();
}

async function contentOf(stream: Readable, path: string): Promise<FileContent> {
  const head: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    head.push(chunk);
    size += chunk.length;
    if (size > inMemory) break;
  }
  if (size <= inMemory) return new FileContent(path, size, Buffer.concat(head));
  const file = createWriteStream(path);
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield* head;
    yield* stream;
  };
  await pipeline(whole, file).catch(async (error) => {
    await rm(path, { force: true });
    throw error;
  });
  return new FileContent(path, file.bytesWritten, null);
}

/** A form that the parser rejects is a client error. */
function unreadable(error: unknown): ApiError {
  return ApiError.invalid(
    null,
    `The form cannot be read (${messageOf(error)}); send multipart/form-data with a boundary.`,
  );
}

/** 2 Limits: a single uploaded file, in bytes. */
const largestFile = 512 * 1024 * 1024;

const limits = { fileSize: largestFile, fieldSize: 16 * 1024 * 1024, fields: 1000, files: 16, parts: 1000 };

interface FilePart {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly stream: Readable;
}

interface PartReceiver {
  /** The value is parsed if the part is declared as JSON. */
  readonly field: (name: string, value: unknown) => void;
  /** Must read the stream to its end; the next part waits for it. */
  readonly file: (part: FilePart) => Promise<void>;
}

/**
 * Reads a multipart body until every part has been received. When it throws, no part is being received, and the rest of
 * the body is unread. @throws ApiError 413 over the limits; Error when the body is not a form or ends early.
 */
async function readParts(message: IncomingMessage, receiver: PartReceiver): Promise<void> {
  const parser = new Busboy({ headers: { ...message.headers, 'content-type': typeOf(message) }, limits });
  const receiving: Promise<void>[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const open = new Set<Readable>();
      // An empty body is a form without parts, although the parser reports an unexpected end.
      let isEmpty = true;
      const fail = (error: Error): void => {
        message.unpipe(parser);
        for (const stream of open) stream.destroy(error);
        reject(error);
      };
      parser.on('error', (error: Error) => (isEmpty ? resolve() : fail(error))).once('finish', resolve);
      failOnLimits(parser, fail);
      parser.on('field', (...[name, value, , truncated, , type]) => {
        const taken = valueIn({ name, value, type, truncated });
        if (taken instanceof Error) fail(taken);
        else receiver.field(name, taken);
      });
      parser.on('file', (...[field, stream, filename, , type]) => {
        open.add(stream);
        stream
          .on('error', fail)
          .once('limit', () => fail(tooLarge(field)))
          .once('close', () => open.delete(stream));
        if (field in Object.prototype) fail(new Error(`'${field}' is not allowed as a name`));
        receiving.push(receiver.file({ field, filename, type, stream }).catch(fail));
      });
      message.once('data', () => (isEmpty = false));
      message.once(
        'close',
        () => message.readableEnded || fail(new Error('the request ended before the form did')),
      );
      message.pipe(parser);
    });
  } finally {
    await Promise.all(receiving);
  }
}

function failOnLimits(parser: InstanceType<typeof Busboy>, fail: (error: Error) => void): void {
  for (const [event, parts] of [
    ['partsLimit', 'parts'],
    ['filesLimit', 'files'],
    ['fieldsLimit', 'fields'],
  ] as const)
    parser.once(event, () => fail(new ApiError(413, `The form is too large: it has too many ${parts}.`)));
}

function typeOf({ headers }: IncomingMessage): string {
  return headers['content-type'] ?? '';
}

interface Field {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  readonly truncated: boolean;
}

/** The value of a field, or the error that rejects the form. */
function valueIn({ name, value, type, truncated }: Field): unknown {
  if (name in Object.prototype) return new Error(`'${name}' is not allowed as a name`);
  if (truncated) return new ApiError(413, `'${name}' is longer than ${limits.fieldSize} bytes; send less.`);
  if (!type.startsWith('application/json')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return new Error(`'${name}' is declared as JSON and is not valid JSON`);
  }
}

function tooLarge(field: string): ApiError {
  return new ApiError(413, `'${field}' is larger than 512 MB; upload a smaller file.`, { param: field });
}

export class FileContent {
  /** Bytes of the file. */
  readonly size: number;
  readonly #path: string;
  #bytes: Buffer | null;
  #isOnDisk: boolean;

  /** `bytes` is null if they are in the file `path`, which this object owns and deletes. */
  constructor(path: string, size: number, bytes: Buffer | null) {
    this.size = size;
    this.#path = path;
    this.#bytes = bytes;
    this.#isOnDisk = bytes === null;
  }

  /** Bytes held in memory; 0 if they are only on disk, or deleted. */
  get held(): number {
    return this.#bytes?.length ?? 0;
  }

  /** All bytes. Rejects if the file has been deleted. */
  async bytes(): Promise<Buffer> {
    return this.#bytes ?? readFile(this.#path);
  }

  /** SHA-256 in hex. Rejects if the file has been deleted. */
  async digest(): Promise<string> {
    const hash = createHash('sha256');
    if (this.#bytes !== null) return hash.update(this.#bytes).digest('hex');
    for await (const chunk of createReadStream(this.#path)) hash.update(chunk);
    return hash.digest('hex');
  }

  /** The bytes in memory, or a stream of the file; null if the file has been deleted. */
  async read(): Promise<Buffer | Readable | null> {
    if (this.#bytes !== null) return this.#bytes;
    const handle = await open(this.#path).catch(() => null);
    return handle?.createReadStream() ?? null;
  }

  /** Path of a file with the bytes, written on demand; it exists until `discard`. */
  file(): string {
    if (!this.#isOnDisk && this.#bytes !== null) {
      // Small contents are written faster synchronously than through the thread pool.
      writeFileSync(this.#path, this.#bytes);
      this.#isOnDisk = true;
    }
    return this.#path;
  }

  /** Moves the bytes from memory to disk. */
  spill(): void {
    this.file();
    this.#bytes = null;
  }

  /** Deletes the bytes in memory and on disk; further calls do nothing. */
  async discard(): Promise<void> {
    this.#bytes = null;
    if (!this.#isOnDisk) return;
    this.#isOnDisk = false;
    await rm(this.#path, { force: true });
  }
}
