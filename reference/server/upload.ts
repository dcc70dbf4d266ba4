import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../schemas/error-message.ts';
import { FileContent } from '../files/file-content.ts';
import { type FilePart, readParts } from '../http/multipart.ts';
import { ApiError } from './api-error.ts';

/** Largest file part that is kept in memory, in bytes; larger ones are streamed to disk. */
const inMemory = 256 * 1024;

/** A received file part. */
export interface Upload {
  readonly field: string;
  readonly filename: string;
  /** Media type that the client gave the part; no decision depends on it. */
  readonly type: string;
  readonly content: FileContent;
  /** True once something else owns the content. */
  taken: boolean;
}

/** A multipart body: values in order (fields may repeat), files by field name. */
export interface ReceivedForm {
  readonly fields: readonly (readonly [name: string, value: unknown])[];
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
    // A second file under one name is read, but not kept: the specification has one file for each field.
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

/** Deletes the uploads that the file store has not taken over. */
export async function discard(uploads: Iterable<Upload>): Promise<void> {
  for (const { content, taken } of uploads) if (!taken) await content.discard();
}

/** Reads a file part to its end; its content is in memory or in the file `path`. */
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

/** A form that the parser rejects is the client's error: 400. */
function unreadable(error: unknown): ApiError {
  return ApiError.invalid(
    null,
    `The form cannot be read (${messageOf(error)}); send multipart/form-data with a boundary.`,
  );
}
