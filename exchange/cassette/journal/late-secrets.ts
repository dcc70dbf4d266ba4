import { isSearchedInBodies } from '../../redaction/alias.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Blobs } from '../write/blobs.ts';
import type { OpenRecordings } from '../write/open-recordings.ts';
import type { IncrementalFinisher } from './incremental-finish.ts';
import type { Journal } from './journal.ts';
import { secretDigest } from './secret-digest.ts';

/** Everything of a recording that is on the disk, or is about to be written there. */
export interface Written {
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
   * before the request that taught them goes on. Replaced at once is what stands there plainly, escaped or in base64; what is
   * compressed, or cut into the events of a stream, when the cassette is finished. The journal keeps how to recognise them,
   * for the case that this process is killed before that. Throws CassetteError when the disk refuses; then the next call
   * tries again.
   */
  takeOut(): void {
    const { learned } = this.#redactor;
    if (learned === this.#searched) return;
    const { secrets } = this.#redactor;
    if (this.#early !== null && learned > this.#early)
      this.#search(secrets.slice(this.#known).filter(isSearchedInBodies));
    this.#searched = learned;
    this.#known = secrets.length;
  }

  /** Replaces secrets in everything that was written before they were known. */
  #search(secrets: readonly string[]): void {
    const { journal, blobs, open, finisher: ahead } = this.#written;
    ahead?.drop();
    for (const secret of secrets) journal.append(secretDigest(secret));
    journal.flush();
    for (const recording of open) recording.refilter();
    for (const blob of blobs.unfinished) if (blob.isWhole) blob.refilter(this.#redactor.stream());
    const renamed = blobs.redact(this.#redactor);
    journal.redact(this.#redactor, renamed);
    blobs.removeRenamed(renamed);
  }
}
