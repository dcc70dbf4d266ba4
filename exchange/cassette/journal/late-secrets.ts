import { isSearchedInBodies } from '../../redaction/alias.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { CassetteError } from '../error.ts';
import type { JournalLine } from '../format/lines.ts';
import type { BlobStore } from '../write/blob-store.ts';
import type { Blobs } from '../write/blobs.ts';
import type { OpenRecordings } from '../write/open-recordings.ts';
import type { IncrementalFinisher } from './incremental-finish.ts';
import type { Journal } from './journal.ts';
import { LateRedaction } from './late-redaction.ts';
import { namedBlobsOf } from './named-blobs.ts';
import { SECRET } from './read-journal.ts';
import { secretDigests } from './secret-digest.ts';

/** Everything of a recording that is on the disk, or is about to be written there. */
export interface Written {
  /** The folder that is recorded into. */
  readonly dir: string;
  /** The journal of the recording. */
  readonly journal: Journal;
  readonly blobs: Blobs;
  /** Exchanges that have not ended. */
  readonly open: OpenRecordings;
  /** Null when the cassette is not written incrementally. */
  readonly finisher: IncrementalFinisher | null;
}

/** Secrets that become known only from the traffic, when something that holds them may be on the disk already. */
export class LateSecrets {
  readonly #redactor: Redactor;
  readonly #written: Written;
  /** Secrets learned when the first exchange had begun. */
  #early: number | null = null;
  /** So many learned secrets, and so many of all, are in nothing that is on the disk. */
  #searched = 0;
  /** Number of secrets that were known at the last check. */
  #known: number;
  #isSearching = false;

  constructor(redactor: Redactor, written: Written) {
    this.#redactor = redactor;
    this.#written = written;
    this.#known = redactor.secrets.length;
  }

  /** An exchange has begun. */
  begun(): void {
    this.#early ??= this.#redactor.learned;
  }

  /** Whether there are any. */
  get any(): boolean {
    return this.#redactor.learned > (this.#early ?? 0);
  }

  /**
   * Takes secrets that have become known out of what is on the disk; to be called before anything else is written, and so
   * before the request that taught them goes on. What was written is redacted as it would have been had the secrets been known: also
   * compressed bodies, and streams that cut a secret into deltas. Until that is done the journal keeps how to recognise the secrets, for the
   * case that this process is killed meanwhile. Throws CassetteError when the disk refuses; then the next call tries again.
   */
  takeOut(): void {
    const { learned } = this.#redactor;
    if (learned === this.#searched || this.#isSearching) return;
    const { secrets } = this.#redactor;
    if (this.#early !== null && learned > this.#early) {
      this.#isSearching = true;
      try {
        this.#search(secrets.slice(this.#known).filter(isSearchedInBodies));
      } finally {
        this.#isSearching = false;
      }
    }
    this.#searched = learned;
    this.#known = secrets.length;
  }

  /** Replaces secrets in everything that was written before they were known. */
  #search(secrets: readonly string[]): void {
    const { journal, open, finisher } = this.#written;
    finisher?.drop();
    journal.flush();
    const { size } = journal;
    for (const secret of secrets) for (const line of secretDigests(secret)) journal.append(line);
    journal.flush();
    const look = this.#look();
    const redaction = look.isChanged ? this.#rewrite() : look;
    for (const recording of open) recording.refilter((i) => redaction.streamOf(i));
    // Where nothing was found, the digests need not stay either.
    if (!look.isChanged) journal.truncate(size);
  }

  /** Searches the journal and its blobs, and writes nothing. */
  #look(): LateRedaction {
    const look = new LateRedaction(this.#redactor.known, lookingAt(this.#written.blobs));
    for (const _ of this.#lines(look));
    return look;
  }

  /** Redacts the journal and its blobs, in new files that take the place of the old ones. */
  #rewrite(): LateRedaction {
    const redaction = new LateRedaction(this.#redactor.known, this.#written.blobs);
    this.#written.journal.rewrite(this.#lines(redaction));
    this.#removeReplaced(redaction);
    return redaction;
  }

  /** The lines of the journal as a redaction makes them, without the digests of secrets. */
  *#lines(redaction: LateRedaction): Generator<Uint8Array> {
    const { journal } = this.#written;
    for (const { bytes } of journal.lines()) {
      if (bytes.toString('latin1', 0, SECRET.length) === SECRET) continue;
      const line = parsed(bytes, journal.file);
      const lines = 'i' in line ? redaction.event(line) : [redaction.line(line)];
      for (const redacted of lines) yield redacted === line ? bytes : Buffer.from(JSON.stringify(redacted));
    }
    for (const head of redaction.heads()) yield Buffer.from(JSON.stringify(head));
  }

  /** Removes blobs that others took the place of, unless a line still names them. */
  #removeReplaced({ replaced, named }: LateRedaction): void {
    if (replaced.size === 0) return;
    const earlier = namedBlobsOf(this.#written.dir);
    this.#written.blobs.removeReplaced(replaced, (blob) => named.has(blob) || earlier.has(blob));
  }
}

/** Blobs as they are, for a search that writes nothing. */
function lookingAt(blobs: Blobs): Pick<BlobStore, 'read' | 'pieces' | 'begin'> {
  return {
    read: (sha256, size) => blobs.read(sha256, size),
    pieces: (sha256, size) => blobs.pieces(sha256, size),
    begin: () => ({ write: () => {}, finishSync: () => '' }),
  };
}

/** A line that this process wrote. Throws CassetteError where another program has changed it. */
function parsed(bytes: Buffer, file: string): JournalLine {
  try {
    return JSON.parse(bytes.toString()) as JournalLine; // as: written by us in this form
  } catch (error) {
    throw new CassetteError('malformed', `${file} was changed while it was being recorded.`, error);
  }
}
