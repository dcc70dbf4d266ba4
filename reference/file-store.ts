import { open, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Collection } from './collection.ts';
import { Progress } from './progress.ts';
import { Refusal } from './refusal.ts';
import { perService, type Service } from './service.ts';
import type { Upload } from './upload.ts';

export interface StoredFile {
  readonly id: string;
  readonly bytes: number;
  readonly created_at: number;
  readonly filename: string;
  readonly purpose: string;
  readonly progress: Progress;
  readonly path: string;
}

/** 2 Limits: all files of an organization. */
const largestTotal = 100 * 1024 ** 3;

/** The uploaded and produced files; their bytes are on disk. */
export class FileStore {
  readonly #service: Service;
  readonly all = new Collection<StoredFile>();
  #total = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Takes over an upload. */
  async take(upload: Upload, purpose: string): Promise<StoredFile> {
    if (this.#total + upload.size > largestTotal) {
      throw Refusal.invalid('file', 'All files together would exceed 100 GB; delete some first.');
    }
    const file = this.#describe(upload.filename, upload.size, purpose);
    await upload.moveTo(file.path);
    return this.#add(file);
  }

  /** Stores a file that the service itself has made. */
  async write(filename: string, content: string | Uint8Array, purpose: string): Promise<StoredFile> {
    const file = this.#describe(filename, Buffer.byteLength(content), purpose);
    await writeFile(file.path, content);
    return this.#add(file);
  }

  /** Takes over a file that the service has written in its directory. */
  async adopt(path: string, filename: string, purpose: string): Promise<StoredFile> {
    const file = this.#describe(filename, (await stat(path)).size, purpose);
    await rename(path, file.path);
    return this.#add(file);
  }

  get(id: string): StoredFile | undefined {
    return this.all.get(id);
  }

  /** @throws Refusal 404 when there is no such file. */
  need(id: string): StoredFile {
    const file = this.all.get(id);
    if (file === undefined) throw Refusal.missing('file', id);
    return file;
  }

  /** @throws Refusal 404 when the file is deleted meanwhile. */
  async read(file: StoredFile): Promise<Readable> {
    const handle = await open(file.path).catch(() => null);
    if (handle === null) throw Refusal.missing('file', file.id);
    return handle.createReadStream();
  }

  async text(file: StoredFile): Promise<string> {
    return readFile(file.path, 'utf8');
  }

  async delete(file: StoredFile): Promise<void> {
    if (!this.all.delete(file.id)) return;
    this.#total -= file.bytes;
    await unlink(file.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  #describe(filename: string, bytes: number, purpose: string): StoredFile {
    const id = this.#service.id('file-');
    const path = join(this.#service.directory, id);
    const progress = new Progress(this.#service);
    return { id, bytes, created_at: this.#service.now(), filename, purpose, progress, path };
  }

  #add(file: StoredFile): StoredFile {
    this.#total += file.bytes;
    return this.all.add(file);
  }
}

/** The files of a service. */
export const filesOf = perService((service) => new FileStore(service));
