import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/** 2 Limits: a single uploaded file. */
export const largestFile = 512 * 1024 * 1024;

/** A file part, streamed to disk. `taken` once something else owns the file. */
export interface Upload {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly path: string;
  readonly size: number;
  taken: boolean;
}

/** A multipart body: values in order (fields may repeat), files by field name. */
export interface Form {
  readonly fields: readonly (readonly [name: string, value: unknown])[];
  readonly uploads: Map<string, Upload>;
}

const limits = { fileSize: largestFile, fieldSize: 16 * 1024 * 1024, fields: 1000, files: 16, parts: 1000 };

/**
 * Reads a multipart body; file parts go to `directory`, never into memory. Nothing is left there when it throws.
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
      const path = join(directory, name());
      await pipeline(part.file, createWriteStream(path)).catch(async (error) => {
        await rm(path, { force: true });
        throw error;
      });
      const upload = { field: part.fieldname, filename: part.filename, type: part.mimetype, path };
      const kept = { ...upload, size: (await stat(path)).size, taken: false };
      if (form.uploads.has(kept.field)) await rm(path, { force: true });
      else form.uploads.set(kept.field, kept);
      if (part.file.truncated) throw tooLarge(kept.field);
    }
    return form;
  } catch (error) {
    await discard(form.uploads.values());
    throw error instanceof Refusal ? error : unreadable(error);
  }
}

/** Deletes the uploads that nothing has taken over. */
export async function discard(uploads: Iterable<Upload>): Promise<void> {
  for (const upload of uploads) if (!upload.taken) await rm(upload.path, { force: true });
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
