import { createHash } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, readSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../../schemas/error-message.ts';
import { CassetteError } from '../error.ts';
import { contentsOf, isDigest, removeIfEmpty } from '../read/contents.ts';
import type { BlobStore } from './blob-store.ts';
import { type BlobPlace, BlobWriter } from './blob-writer.ts';
import { entryKind, isFolder, openIfThere, writing } from './entry.ts';

/** Large content is read in pieces of so many bytes. */
const CHUNK = 1024 * 1024;
/** A larger blob is not read whole: no body of a recording is judged or compared beyond it. Bytes. */
const MOST_IN_MEMORY = 2 * 1024 * 1024 * 1024 - 1;

/** Bodies beside the lines, on the disk: `blobs/sha256/ab/abcdef…`. */
export class Blobs implements BlobStore {
  readonly #root: string;
  readonly #unfinished = new Set<BlobWriter>();
  /** Folders that are known to be folders, not links. */
  readonly #folders = new Set<string>();
  /** Size by digest of what this writer has completed. */
  readonly #finished = new Map<string, number>();
  /** Digest and size by the digest that the content had before a secret was taken out of it. */
  readonly #renamed = new Map<string, { readonly sha256: string; readonly size: number }>();
  readonly #onFailure: (error: CassetteError) => void;
  #isFailing = false;
  /** Bytes written so far. */
  written = 0;
  #temporary = 0;

  /** `onFailure` gets the error when bodies begin not to be written, and again only after one has been. */
  constructor(dir: string, onFailure: (error: CassetteError) => void = () => {}) {
    this.#root = join(dir, 'blobs');
    this.#onFailure = (error) => {
      if (!this.#isFailing) onFailure(error);
      this.#isFailing = true;
    };
  }

  /**
   * Path of a blob. Throws CassetteError where the name is not a digest, so that no path leads outside the folder.
   */
  path(sha256: string): string {
    if (!isDigest(sha256))
      throw new CassetteError('blob', `${JSON.stringify(sha256)} is not the name of a blob.`);
    return join(this.#root, 'sha256', sha256.slice(0, 2), sha256);
  }

  file(sha256: string): string {
    return this.path(sha256);
  }

  /** The bodies that are being written. */
  get unfinished(): ReadonlySet<BlobWriter> {
    return this.#unfinished;
  }

  /** Begins a blob in a temporary file with a new name. */
  begin(): BlobWriter {
    return this.#reported(() => {
      this.#makeFolder(this.#root);
      for (;;) {
        this.#temporary += 1;
        const file = join(this.#root, `${this.#temporary}.tmp`);
        // Another writer may have left one of this name: it is not ours.
        if (entryKind(file) === null) return new BlobWriter(file, this.#place(file));
      }
    });
  }

  #reported<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (error instanceof CassetteError) this.#onFailure(error);
      throw error;
    }
  }

  /** Callbacks of one temporary file. */
  #place(file: string): BlobPlace {
    return {
      began: (writer) => this.#unfinished.add(writer),
      ended: (writer) => this.#unfinished.delete(writer),
      failed: this.#onFailure,
      keep: (sha256, size) => {
        const path = this.path(sha256);
        writing(path, () => {
          for (const folder of ['sha256', join('sha256', sha256.slice(0, 2))])
            this.#makeFolder(join(this.#root, folder));
          renameSync(file, path);
        });
        this.#isFailing = false;
        this.#finished.set(sha256, size);
        this.written += size;
      },
    };
  }

  /** Removes blobs that redacted ones took the place of, unless a line still names them. A body that was read from an old one is read from the new one. */
  removeReplaced(replaced: ReadonlyMap<string, string>, isNamed: (sha256: string) => boolean): void {
    for (const [before, after] of replaced) {
      if (before === after) continue;
      this.#renamed.set(before, { sha256: after, size: this.#finished.get(after) ?? 0 });
      if (isNamed(before) || !this.#finished.has(before)) continue;
      writing(this.path(before), () => unlinkSync(this.path(before)));
      this.#finished.delete(before);
    }
  }

  /** Removes what was being written and is not complete. */
  dropUnfinished(): void {
    for (const writer of this.#unfinished) writer.drop();
  }

  check(sha256: string, size: number): void {
    closeSync(this.#open(sha256, size));
  }

  /** Opens a blob of which kind and size are as they should be. */
  #open(sha256: string, size: number): number {
    const file = this.path(sha256);
    const isThere = ['', 'sha256', join('sha256', sha256.slice(0, 2))].every((folder) =>
      this.#isFolder(join(this.#root, folder)),
    );
    const fd = isThere ? openIfThere(file) : null;
    if (fd === null) throw new CassetteError('blob', `${file} is missing. ${RESTORE}`);
    const found = fstatSync(fd).size;
    if (found === size) return fd;
    closeSync(fd);
    throw new CassetteError('blob', `${file} has ${found} bytes instead of ${size}. ${RESTORE}`);
  }

  /** Reads a blob that may have been renamed by redaction, and verifies its digest. */
  read(sha256: string, size: number): Uint8Array {
    const now = this.#renamed.get(sha256);
    if (now !== undefined) return this.read(now.sha256, now.size);
    // The file has to have that size before so much memory is asked for.
    closeSync(this.#open(sha256, size));
    if (size > MOST_IN_MEMORY)
      throw new CassetteError('blob', `${this.path(sha256)} is too large to be read into memory. ${RESTORE}`);
    const bytes = Buffer.allocUnsafe(size);
    let done = 0;
    for (const piece of this.pieces(sha256, size)) {
      bytes.set(piece.subarray(0, size - done), done);
      done += piece.length;
    }
    if (done === size && createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
    throw new CassetteError(
      'blob',
      `${this.path(sha256)} was changed: its digest is not its name. ${RESTORE}`,
    );
  }

  /** Reads pieces of at most `CHUNK` bytes, all in the same memory. */
  *pieces(sha256: string, size: number): Generator<Uint8Array> {
    const fd = this.#open(sha256, size);
    try {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size));
      for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk))
        yield chunk.subarray(0, count);
    } finally {
      closeSync(fd);
    }
  }

  /** Removes temporary files, and blobs that no line names. Nothing else is removed, and links are not followed. */
  sweep(named: ReadonlySet<string>): void {
    if (!this.#isFolder(this.#root)) return;
    const { files, blobs, folders } = contentsOf(join(this.#root, '..'));
    const unnamed = [...blobs].flatMap(([sha256, path]) => (named.has(sha256) ? [] : [path]));
    const temporary = files.filter((path) => /^blobs\/\d+\.tmp$/.test(path));
    for (const path of [...unnamed, ...temporary]) unlinkSync(join(this.#root, '..', path));
    for (const folder of folders) removeIfEmpty(join(this.#root, '..', folder));
    this.#folders.clear();
  }

  /** Whether a path is a folder; the answer is remembered. Throws CassetteError where it is a link or a file. */
  #isFolder(path: string): boolean {
    if (this.#folders.has(path)) return true;
    if (!isFolder(path)) return false;
    this.#folders.add(path);
    return true;
  }

  /** Creates a folder where it does not exist. */
  #makeFolder(path: string): void {
    if (this.#isFolder(path)) return;
    writing(path, () => {
      try {
        mkdirSync(path);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
    });
    isFolder(path);
  }
}

/** Advice of every error about a blob that is missing or changed. */
const RESTORE = 'Restore it from version control, or record again.';
