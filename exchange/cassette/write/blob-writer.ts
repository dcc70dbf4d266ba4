import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsync, fsyncSync, ftruncateSync, readSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ByteFilter } from '../../redaction/redactor.ts';
import { CassetteError } from '../error.ts';
import type { NewBlob } from './blob-store.ts';
import { createNewFile, unwritable, writing } from './entry.ts';

const sync = promisify(fsync);

/** Written bytes are read again in pieces of this size. Bytes. */
const CHUNK = 1024 * 1024;

/** Callbacks of a blob that is being written into the store that it belongs to. */
export interface BlobPlace {
  began(writer: BlobWriter): void;
  ended(writer: BlobWriter): void;
  failed(error: CassetteError): void;
  /** Gives the complete file its name. */
  keep(sha256: string, size: number): void;
}

/** A body on its way to its blob, in a temporary file. A write that fails removes the file. */
export class BlobWriter implements NewBlob {
  readonly #file: string;
  readonly #place: BlobPlace;
  readonly #fd: number;
  /** Digest of the bytes written so far. */
  #hash: Hash = createHash('sha256');
  #size = 0;
  /** `syncing`: all bytes are written, and the system moves them to the disk. */
  #state: 'open' | 'syncing' | 'over' = 'open';
  #isDropped = false;

  constructor(file: string, place: BlobPlace) {
    this.#file = file;
    this.#place = place;
    this.#fd = writing(file, () => createNewFile(file));
    place.began(this);
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /** Appends bytes. Throws CassetteError when they cannot be written; the file is removed then. */
  write(bytes: Uint8Array): void {
    this.#refuseUnlessOpen();
    this.#hash.update(bytes);
    this.#writeAt(bytes, this.#size);
    this.#size += bytes.length;
  }

  #writeAt(bytes: Uint8Array, offset: number): void {
    try {
      writing(this.#file, () => {
        for (let done = 0; done < bytes.length; ) {
          done += writeSync(this.#fd, bytes, done, bytes.length - done, offset + done);
        }
      });
    } catch (error) {
      this.drop();
      throw this.#failed(error);
    }
  }

  /** The blob is complete, on the disk and under its name; gives its digest. Rejects with CassetteError where that fails. */
  async finish(): Promise<string> {
    this.#refuseUnlessOpen();
    this.#state = 'syncing';
    try {
      await sync(this.#fd);
    } catch (error) {
      this.#end('remove');
      throw this.#failed(error);
    }
    if (this.#isDropped) {
      this.#end();
      throw unwritable(this.#file, new Error('the recording was given up'));
    }
    return this.#keep();
  }

  /** The same, while everything else waits. */
  finishSync(): string {
    this.#refuseUnlessOpen();
    try {
      fsyncSync(this.#fd);
    } catch (error) {
      this.drop();
      throw this.#failed(error);
    }
    return this.#keep();
  }

  /** Reports an error to the store and returns it as CassetteError. */
  #failed(error: unknown): CassetteError {
    const failure = unwritable(this.#file, error);
    this.#place.failed(failure);
    return failure;
  }

  /** Throws CassetteError after an earlier failure. */
  #refuseUnlessOpen(): void {
    if (this.#state !== 'open')
      throw new CassetteError(
        'unwritable',
        `${this.#file} cannot be written: an earlier write to it failed.`,
      );
  }

  /** Renames the file to its digest. */
  #keep(): string {
    const sha256 = this.#hash.digest('hex');
    try {
      this.#place.keep(sha256, this.#size);
    } catch (error) {
      this.#end('remove');
      throw this.#failed(error);
    }
    this.#end();
    return sha256;
  }

  /** The digest of what was written, to be carried on. */
  digestSoFar(): Hash {
    return this.#hash.copy();
  }

  /** Whether all of it is written, and it only waits for the disk. */
  get isWhole(): boolean {
    return this.#state === 'syncing';
  }

  /**
   * Passes what was written through a filter, in its place on the disk. Of a blob that is still being written, bytes that the filter holds back are cut off its end; the caller writes them later. `onBytes` gets the bytes that are kept.
   */
  refilter(filter: ByteFilter, onBytes: (bytes: Uint8Array) => void = () => {}): void {
    const size = this.#size;
    this.#hash = createHash('sha256');
    this.#size = 0;
    const keep = (bytes: Uint8Array) => {
      this.#hash.update(bytes);
      this.#writeAt(bytes, this.#size);
      this.#size += bytes.length;
      onBytes(bytes);
    };
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size));
    for (let from = 0; from < size; ) {
      const count = readSync(this.#fd, chunk, 0, Math.min(chunk.length, size - from), from);
      if (count === 0) break;
      from += count;
      // Never more comes out than went in: what is overwritten has been read.
      keep(filter.push(chunk.subarray(0, count)));
    }
    if (this.isWhole) keep(filter.finish());
    writing(this.#file, () => ftruncateSync(this.#fd, this.#size));
  }

  /** The content is not wanted after all: the file is removed. */
  drop(): void {
    if (this.#state === 'open') this.#end('remove');
    else if (this.#state === 'syncing') this.#isDropped = true;
  }

  /** Closes the file once. */
  #end(file: 'remove' | 'leave' = this.#isDropped ? 'remove' : 'leave'): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#place.ended(this);
    closeSync(this.#fd);
    if (file === 'remove') rmSync(this.#file, { force: true });
  }
}
