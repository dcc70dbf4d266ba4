import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { because, CassetteError } from './error.ts';

const sync = promisify(fsync);

/** Bodies beside the lines, by content: `blobs/sha256/ab/abcdef…`. */
export class Blobs {
  readonly #root: string;
  /** Bytes written so far. */
  written = 0;
  #temporary = 0;

  constructor(dir: string) {
    this.#root = join(dir, 'blobs');
  }

  path(sha256: string): string {
    return join(this.#root, 'sha256', sha256.slice(0, 2), sha256);
  }

  /** Begins a body whose digest is not known yet. */
  begin(): BlobWriter {
    attempt(this.#root, () => mkdirSync(this.#root, { recursive: true }));
    this.#temporary += 1;
    return new BlobWriter(join(this.#root, `${this.#temporary}.tmp`), (sha256, size) => {
      this.written += size;
      return this.path(sha256);
    });
  }

  /** Throws CassetteError unless there is a plain file of that size. */
  check(sha256: string, size: number): void {
    const file = this.path(sha256);
    const found = existsSync(file) ? lstatSync(file) : null;
    if (found?.isFile() && found.size === size) return;
    const state = found === null ? 'is missing' : `has ${found.size} bytes instead of ${size}`;
    throw new CassetteError('blob', `${file} ${state}. ${RESTORE}`);
  }

  /** The content; throws CassetteError when it is missing or not what its name says. */
  read(sha256: string, size: number): Uint8Array {
    this.check(sha256, size);
    const bytes = readFileSync(this.path(sha256));
    if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
    throw new CassetteError(
      'blob',
      `${this.path(sha256)} was changed: its digest is not its name. ${RESTORE}`,
    );
  }

  /** Deletes temporary files, and blobs that no line names. */
  sweep(named: ReadonlySet<string>): void {
    if (!existsSync(this.#root)) return;
    for (const entry of readdirSync(this.#root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || named.has(entry.name)) continue;
      rmSync(join(entry.parentPath, entry.name), { force: true });
    }
    if (named.size === 0) rmSync(this.#root, { recursive: true, force: true });
  }
}

const RESTORE = 'Restore it from version control, or record again.';

/** A body on its way to its blob. */
export class BlobWriter {
  readonly #file: string;
  readonly #path: (sha256: string, size: number) => string;
  #size = 0;
  readonly #fd: number;
  readonly #hash: Hash = createHash('sha256');

  constructor(file: string, path: (sha256: string, size: number) => string) {
    this.#file = file;
    this.#path = path;
    this.#fd = attempt(file, () => openSync(file, 'w'));
  }

  write(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#size += bytes.length;
    attempt(this.#file, () => {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done);
    });
  }

  /** The blob is complete, on the disk and under its name; gives its digest. */
  async finish(): Promise<string> {
    try {
      await sync(this.#fd);
    } finally {
      closeSync(this.#fd);
    }
    return this.#name();
  }

  /** The same, while everything else waits. */
  finishSync(): string {
    try {
      fsyncSync(this.#fd);
    } finally {
      closeSync(this.#fd);
    }
    return this.#name();
  }

  #name(): string {
    const sha256 = this.#hash.digest('hex');
    const path = this.#path(sha256, this.#size);
    attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true });
      renameSync(this.#file, path);
    });
    return sha256;
  }

  /** The digest of what was written, to be carried on. */
  digestSoFar(): Hash {
    return this.#hash.copy();
  }

  /** The content is not wanted after all. */
  drop(): void {
    closeSync(this.#fd);
    rmSync(this.#file, { force: true });
  }
}

function attempt<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new CassetteError('unwritable', `${file} cannot be written: ${because(error)}.`, error);
  }
}
