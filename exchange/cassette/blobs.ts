import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../schemas/error-message.ts';
import type { ByteFilter } from '../redaction/byte-filter.ts';
import type { Tail } from '../redaction/pattern.ts';
import { attemptWrite, CassetteError, damageError, unwritableError } from './cassette-error.ts';
import { createNewFile, entryKind, isFolder, openIfThere, openRegular, writeAll } from './entries.ts';
import { FolderContents, isDigest, recordingDir, removeIfEmpty } from './folder.ts';

const CHUNK_BYTES = 1024 * 1024;
const MAX_IN_MEMORY_BYTES = 2 * 1024 * 1024 * 1024 - 1;

/** Large bodies on disk: `blobs/sha256/ab/abcdef…`. */
export class Blobs {
  readonly #root: string;
  readonly #unfinished = new Set<BlobWriter>();
  readonly #folders = new Set<string>();
  readonly #finished = new Map<string, number>();
  readonly #renamed = new Map<string, { readonly sha256: string; readonly size: number }>();
  readonly #onFailure: (error: CassetteError) => void;
  #isFailing = false;
  #isClosed = false;
  writtenBytes = 0;
  #temporaryCount = 0;

  constructor(dir: string, onFailure: (error: CassetteError) => void = () => {}) {
    this.#root = join(dir, 'blobs');
    this.#onFailure = (error) => {
      if (!this.#isFailing) onFailure(error);
      this.#isFailing = true;
    };
  }

  /** Throws CassetteError if the name is not a digest, so that no path leads outside the folder. */
  #file(sha256: string): string {
    if (!isDigest(sha256))
      throw new CassetteError('blob', `${JSON.stringify(sha256)} is not the name of a blob.`);
    return join(this.#root, 'sha256', sha256.slice(0, 2), sha256);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  begin(): BlobWriter {
    try {
      this.#makeFolder(this.#root);
      let file: string;
      do {
        this.#temporaryCount += 1;
        file = join(this.#root, `${this.#temporaryCount}.tmp`);
        // Another writer may have left a file of this name.
      } while (entryKind(file) !== null);
      const writer = new BlobWriter(file, {
        onEnd: () => this.#unfinished.delete(writer),
        onFailure: this.#onFailure,
        keep: (sha256, size) => this.#keep(file, sha256, size),
      });
      this.#unfinished.add(writer);
      return writer;
    } catch (error) {
      if (error instanceof CassetteError) this.#onFailure(error);
      throw error;
    }
  }

  #keep(file: string, sha256: string, size: number): void {
    const path = this.#file(sha256);
    attemptWrite(path, () => {
      for (const folder of ['sha256', join('sha256', sha256.slice(0, 2))])
        this.#makeFolder(join(this.#root, folder));
      renameSync(file, path);
    });
    this.#isFailing = false;
    this.#finished.set(sha256, size);
    this.writtenBytes += size;
  }

  /**
   * Removes blobs that were replaced by redacted ones, unless a line still names them. From then on, `read` returns the
   * redacted content for an old digest.
   */
  removeReplaced(replaced: ReadonlyMap<string, string>, isNamed: (sha256: string) => boolean): void {
    for (const [before, after] of replaced) {
      if (before === after) continue;
      this.#renamed.set(before, { sha256: after, size: this.#finished.get(after) ?? 0 });
      if (isNamed(before) || !this.#finished.has(before)) continue;
      attemptWrite(this.#file(before), () => unlinkSync(this.#file(before)));
      this.#finished.delete(before);
    }
  }

  /** Removes unfinished blobs; no other may begin. */
  close(): void {
    this.#isClosed = true;
    for (const writer of this.#unfinished) writer.drop();
  }

  /** Throws CassetteError unless the file exists and has this size; does not read the content. */
  locate(sha256: string, size: number): string {
    closeSync(this.#open(sha256, size));
    return this.#file(sha256);
  }

  #open(sha256: string, size: number): number {
    const file = this.#file(sha256);
    const isThere = ['', 'sha256', join('sha256', sha256.slice(0, 2))].every((folder) =>
      this.#isFolder(join(this.#root, folder)),
    );
    const fd = isThere ? openIfThere(file) : null;
    if (fd === null) throw damageError('blob', `${file} is missing`);
    const found = fstatSync(fd).size;
    if (found === size) return fd;
    closeSync(fd);
    throw damageError('blob', `${file} has ${found} bytes instead of ${size}`);
  }

  /** Throws CassetteError if the file is missing, was changed, or has 2 GiB or more. */
  read(sha256: string, size: number): Uint8Array {
    const renamed = this.#renamed.get(sha256);
    if (renamed !== undefined) return this.read(renamed.sha256, renamed.size);
    // The size is checked before that much memory is allocated.
    closeSync(this.#open(sha256, size));
    if (size > MAX_IN_MEMORY_BYTES)
      throw new CassetteError('blob', `${this.#file(sha256)} is too large to be read into memory.`);
    const bytes = Buffer.allocUnsafe(size);
    let filled = 0;
    for (const piece of this.pieces(sha256, size)) {
      bytes.set(piece, filled);
      filled += piece.length;
    }
    if (filled === size && createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
    throw damageError('blob', `${this.#file(sha256)} was changed: its digest is not its name`);
  }

  *pieces(sha256: string, size: number): Generator<Uint8Array> {
    const fd = this.#open(sha256, size);
    try {
      yield* chunksOf(fd, size);
    } finally {
      closeSync(fd);
    }
  }

  sync(sha256: string): void {
    const path = this.#file(sha256);
    attemptWrite(path, () => {
      const fd = openRegular(path);
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    });
  }

  /** Removes temporary files, blobs that no line names, and folders that are then empty; links are not followed. */
  sweep(named: ReadonlySet<string>): void {
    if (!this.#isFolder(this.#root)) return;
    const { files, blobs, folders } = new FolderContents(join(this.#root, '..'));
    const unnamed = [...blobs].flatMap(([sha256, path]) => (named.has(sha256) ? [] : [path]));
    const temporary = files.filter((path) => /^blobs\/\d+\.tmp$/.test(path));
    for (const path of [...unnamed, ...temporary]) unlinkSync(join(this.#root, '..', path));
    for (const folder of folders) removeIfEmpty(join(this.#root, '..', folder));
    this.#folders.clear();
  }

  /** Whether a folder exists; a positive result is cached. Throws CassetteError for a link or a file. */
  #isFolder(path: string): boolean {
    if (this.#folders.has(path)) return true;
    if (!isFolder(path)) return false;
    this.#folders.add(path);
    return true;
  }

  #makeFolder(path: string): void {
    if (this.#isFolder(path)) return;
    attemptWrite(path, () => {
      try {
        mkdirSync(path);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
    });
    isFolder(path); // Throws if another process put a link or a file there.
  }
}

/** Reads a file from its beginning, in chunks that share one buffer. */
function* chunksOf(fd: number, size: number): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  for (let from = 0; from < size; ) {
    const count = readSync(fd, chunk, 0, Math.min(chunk.length, size - from), from);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    from += count;
  }
}

/** Large bodies of a cassette, named by the SHA-256 (hex) of their content: on disk, or partly in memory. */
export interface BlobStore extends Pick<Blobs, 'read' | 'sync' | 'sweep'> {
  /** The content in pieces, each valid until the next one; not compared with the digest. */
  pieces(sha256: string, size: number): Iterable<Uint8Array>;
  /** The file that holds the content; null if it is in memory. Throws CassetteError if the file is missing. */
  locate(sha256: string, size: number): string | null;
  begin(): Pick<BlobWriter, 'write' | 'finish'>;
}

interface BlobCallbacks {
  onEnd(): void;
  onFailure(error: CassetteError): void;
  keep(sha256: string, size: number): void;
}

export class BlobWriter {
  readonly #file: string;
  readonly #callbacks: BlobCallbacks;
  readonly #fd: number;
  #hash: Hash = createHash('sha256');
  #size = 0;
  #isOpen = true;

  constructor(file: string, callbacks: BlobCallbacks) {
    this.#file = file;
    this.#callbacks = callbacks;
    this.#fd = attemptWrite(file, () => createNewFile(file));
  }

  get size(): number {
    return this.#size;
  }

  /** False once the file is finished, or removed because a write failed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Throws CassetteError if a write fails; the file is then removed. */
  write(bytes: Uint8Array): void {
    this.#attempt(() => writeAll(this.#fd, bytes, this.#size));
    this.#hash.update(bytes);
    this.#size += bytes.length;
  }

  /** Each piece is valid until the next one. */
  pieces(): Generator<Uint8Array> {
    return chunksOf(this.#fd, this.#size);
  }

  #attempt(action: () => void): void {
    if (!this.#isOpen)
      throw new CassetteError(
        'unwritable',
        `${this.#file} cannot be written: an earlier write to it failed, or the recording has ended.`,
      );
    try {
      action();
    } catch (error) {
      this.drop();
      const failure = unwritableError(this.#file, error);
      this.#callbacks.onFailure(failure);
      throw failure;
    }
  }

  /** Renames the file to its digest, and returns the digest. A power failure can damage the content until `sync`. */
  finish(): string {
    const sha256 = this.#hash.digest('hex');
    this.#attempt(() => this.#callbacks.keep(sha256, this.#size));
    this.#close();
    return sha256;
  }

  /**
   * Passes the bytes written so far through a filter, in place. `final` also flushes the filter; with `open` it keeps
   * its last bytes, and the caller writes them later.
   */
  refilter(filter: ByteFilter, tail: Tail): void {
    const pieces = this.pieces();
    this.#hash = createHash('sha256');
    this.#size = 0;
    // Only bytes already read are overwritten: a filter returns at most what it has received until `finish`.
    for (const piece of pieces) this.write(filter.push(piece));
    if (tail === 'final') this.write(filter.finish());
    attemptWrite(this.#file, () => ftruncateSync(this.#fd, this.#size));
  }

  drop(): void {
    if (!this.#isOpen) return;
    this.#close();
    rmSync(this.#file, { force: true });
  }

  #close(): void {
    this.#isOpen = false;
    this.#callbacks.onEnd();
    closeSync(this.#fd);
  }
}

/**
 * The blobs of a cassette that is being recorded to replace another. Finishing moves the new folder into place, so both
 * places are searched.
 */
export function openRecordedBlobs(dir: string): Pick<Blobs, 'read'> {
  const [recording, finished] = [new Blobs(recordingDir(dir)), new Blobs(dir)];
  return {
    read(sha256, size) {
      try {
        return recording.read(sha256, size);
      } catch {
        return finished.read(sha256, size);
      }
    },
  };
}
