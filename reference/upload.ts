import { createWriteStream, writeFileSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/** 2 Limits: a single uploaded file. */
export const largestFile = 512 * 1024 * 1024;

type Part = Pick<MultipartFile, 'fieldname' | 'filename' | 'mimetype' | 'file'>;

/** Bytes of a file part that are held in memory; what is larger goes to the disk as it comes. */
const inMemory = 256 * 1024;

/** A file part. So little as is held in memory is written sooner than a thread is asked to write it. */
export class Upload {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly size: number;
  readonly #path: string;
  /** Null where it is on the disk alone. */
  readonly #bytes: Buffer | null;
  #isOnDisk: boolean;

  constructor(part: Part, size: number, path: string, bytes: Buffer | null) {
    this.field = part.fieldname;
    this.filename = part.filename;
    this.type = part.mimetype;
    this.size = size;
    this.#path = path;
    this.#bytes = bytes;
    this.#isOnDisk = bytes === null;
  }

  async bytes(): Promise<Buffer> {
    return this.#bytes ?? readFile(this.#path);
  }

  /** A file that holds it, until it is discarded. */
  file(): string {
    if (!this.#isOnDisk && this.#bytes !== null) {
      writeFileSync(this.#path, this.#bytes);
      this.#isOnDisk = true;
    }
    return this.#path;
  }

  /** Makes it a file of this name, which something else owns. */
  async moveTo(path: string): Promise<void> {
    if (this.#isOnDisk || this.#bytes === null) await rename(this.#path, path);
    else writeFileSync(path, this.#bytes);
    this.#isOnDisk = false;
  }

  /** Deletes what is left of it on the disk. */
  async discard(): Promise<void> {
    if (!this.#isOnDisk) return;
    this.#isOnDisk = false;
    await rm(this.#path, { force: true });
  }
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
      if (form.uploads.has(upload.field)) await upload.discard();
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
  for (const upload of uploads) await upload.discard();
}

async function receive(part: Part, path: string): Promise<Upload> {
  const head: Buffer[] = [];
  let size = 0;
  for await (const chunk of part.file.iterator({ destroyOnReturn: false })) {
    head.push(chunk);
    size += chunk.length;
    if (size > inMemory) break;
  }
  if (size <= inMemory) return new Upload(part, size, path, Buffer.concat(head));
  const file = createWriteStream(path);
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield* head;
    yield* part.file;
  };
  await pipeline(whole, file).catch(async (error) => {
    await rm(path, { force: true });
    throw error;
  });
  return new Upload(part, file.bytesWritten, path, null);
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
