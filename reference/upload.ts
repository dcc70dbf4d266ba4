import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { FileContent } from './file-content.ts';
import { Refusal } from './refusal.ts';

/** 2 Limits: a single uploaded file. */
export const largestFile = 512 * 1024 * 1024;

type Part = Pick<MultipartFile, 'fieldname' | 'filename' | 'mimetype' | 'file'>;

/** Bytes of a file part that are held in memory; what is larger goes to the disk as it comes. */
const inMemory = 256 * 1024;

/** A file part. */
export interface Upload {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly content: FileContent;
  /** True once something else owns the content. */
  taken: boolean;
}

/** A multipart body: values in order (fields may repeat), files by field name. */
export interface Form {
  readonly fields: readonly (readonly [name: string, value: unknown])[];
  readonly uploads: Map<string, Upload>;
}

const limits = { fileSize: largestFile, fieldSize: 16 * 1024 * 1024, fields: 1000, files: 16, parts: 1000 };

/**
 * Reads a multipart body; large file parts go to `directory`, never into memory. Nothing is left there when it throws.
 * @throws Refusal 413 over the size limits, 400 for a form that cannot be read.
 */
export async function receiveForm(
  request: FastifyRequest,
  directory: string,
  name: () => string,
): Promise<Form> {
  const form = { fields: [] as [string, unknown][], uploads: new Map<string, Upload>() };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') {
        form.fields.push([part.fieldname, part.value]);
        continue;
      }
      const upload = await receive(part, join(directory, name()));
      if (form.uploads.has(upload.field)) await upload.content.discard();
      else form.uploads.set(upload.field, upload);
      if (part.file.truncated) throw tooLarge(upload.field);
    }
    return form;
  } catch (error) {
    await discard(form.uploads.values());
    throw error instanceof Refusal ? error : unreadable(error);
  }
}

/** Deletes the uploads that nothing has taken over. */
export async function discard(uploads: Iterable<Upload>): Promise<void> {
  for (const { content, taken } of uploads) if (!taken) await content.discard();
}

async function receive(part: Part, path: string): Promise<Upload> {
  const { fieldname: field, filename, mimetype: type } = part;
  return { field, filename, type, content: await contentOf(part.file, path), taken: false };
}

async function contentOf(stream: Part['file'], path: string): Promise<FileContent> {
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

function tooLarge(field: string): Refusal {
  return new Refusal(413, `'${field}' is larger than 512 MB; upload a smaller file.`, { param: field });
}

function unreadable(error: unknown): Refusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = error instanceof Error ? error.message : 'unreadable';
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge('file');
  if (/^FST_(PARTS|FILES|FIELDS)_LIMIT$/.test(code))
    return new Refusal(413, `The form is too large: ${why}.`);
  return Refusal.invalid(null, `The form cannot be read (${why}); send multipart/form-data with a boundary.`);
}
