import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError, requireObject, shorten } from '../http/api-error.ts';
import { FileContent } from '../http/file-content.ts';
import type { Upload } from '../http/form.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';
import { StateProgress } from '../state/transitions.ts';

export interface StoredFile {
  readonly id: string;
  readonly bytes: number;
  readonly created_at: number;
  readonly filename: string;
  readonly purpose: string;
  readonly progress: StateProgress;
  readonly content: FileContent;
}

/** Maximum size in bytes of all files of an organization together (2 Limits). */
const MAX_TOTAL_BYTES = 100 * 1024 ** 3;
/** Maximum total size of the files held in memory, in bytes; beyond that, files go to disk. */
const MAX_TOTAL_BYTES_IN_MEMORY = 64 * 1024 ** 2;

class FileStore {
  readonly #service: Service;
  readonly all = new Collection<StoredFile>();
  #totalBytes = 0;
  #heldBytes = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Stores an upload, whose content is then no longer discarded with its request. */
  take(upload: Upload, purpose: string): StoredFile {
    if (this.#totalBytes + upload.content.size > MAX_TOTAL_BYTES) {
      throw ApiError.invalid('file', 'All files together would exceed 100 GB; delete some first.');
    }
    upload.isKept = true;
    return this.#add(upload.filename, upload.content, purpose);
  }

  /** Stores a text that the service itself has written; the name must be unique. */
  write(filename: string, text: string, purpose: string): StoredFile {
    const bytes = Buffer.from(text);
    const path = join(this.#service.directory, filename);
    return this.#add(filename, new FileContent(path, bytes.length, bytes), purpose);
  }

  /** Stores a file that is already at `path`, which is deleted with it. */
  async adopt(path: string, filename: string, purpose: string): Promise<StoredFile> {
    return this.#add(filename, new FileContent(path, (await stat(path)).size, null), purpose);
  }

  need(id: string): StoredFile {
    return requireObject(this.all.get(id), 'file', id);
  }

  async read(file: StoredFile): Promise<Readable | Buffer> {
    const content = await file.content.read();
    if (content === null) throw ApiError.missing('file', file.id);
    return content;
  }

  async delete(file: StoredFile): Promise<void> {
    if (!this.all.delete(file.id)) return;
    this.#totalBytes -= file.bytes;
    this.#heldBytes -= file.content.heldBytes;
    await file.content.discard();
  }

  #add(filename: string, content: FileContent, purpose: string): StoredFile {
    if (this.#heldBytes + content.heldBytes > MAX_TOTAL_BYTES_IN_MEMORY) content.spill();
    this.#heldBytes += content.heldBytes;
    this.#totalBytes += content.size;
    return this.all.add({
      id: this.#service.id('file-'),
      bytes: content.size,
      created_at: this.#service.now(),
      filename,
      purpose,
      progress: new StateProgress(this.#service),
      content,
    });
  }
}

export const filesOf = perService((service) => new FileStore(service));

export function checkFiles(service: Service, ids: readonly string[], param: string, purpose?: string): void {
  for (const [n, id] of ids.entries()) checkFile(service, id, `${param}[${n}]`, purpose);
}

/** Returns the file that a body names; by default every purpose is accepted. @throws ApiError 400 naming `param`. */
export function checkFile(service: Service, id: string, param: string, purpose?: string): StoredFile {
  const file = filesOf(service).all.get(id);
  if (file === undefined) throw ApiError.invalid(param, `'${param}' names no file: '${shorten(id)}'.`);
  if (purpose !== undefined && file.purpose !== purpose) {
    const why = `its purpose is '${file.purpose}', and '${purpose}' is needed`;
    throw ApiError.invalid(param, `'${param}' names the file '${shorten(id)}', but ${why}.`);
  }
  return file;
}
