import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Redactor } from '../../redaction/redactor.ts';
import type { Note, NoteContent, TraceHeader } from '../../trace.ts';
import type { CassetteOptions } from '../cassette-options.ts';
import { CassetteError } from '../error.ts';
import type { JournalHeader, JournalNote } from '../format/lines.ts';
import { finishIn, installCassette } from '../journal/finish.ts';
import { IncrementalFinisher } from '../journal/incremental-finish.ts';
import type { Journal } from '../journal/journal.ts';
import { LateSecrets } from '../journal/late-secrets.ts';
import { type Quarantined, quarantine } from '../quarantine.ts';
import { removeCassette } from '../read/contents.ts';
import { Blobs } from './blobs.ts';
import { OpenRecordings } from './open-recordings.ts';
import { quarantineDir } from './places.ts';
import { Recording, type RequestHead } from './recording.ts';
import type { RecordingHost } from './recording-host.ts';
import { redactedHeader, redactedNote } from './redacted-lines.ts';
import { openFolder } from './writer-folder.ts';

export type { CassetteOptions } from '../cassette-options.ts';

/** Request bodies beyond this are kept as digest and parts. */
export const MAX_KEPT_REQUEST_BYTES = 16 * 1024 * 1024;

/** A cassette that is being recorded. One writer at a time; see `Recording` for one exchange. */
export class CassetteWriter {
  /** Where it will be when finished. */
  readonly dir: string;
  /** Replaces secrets before anything is written. */
  readonly redactor: Redactor;
  readonly #work: string;
  readonly #journal: Journal;
  readonly #unlock: (dir?: string) => void;
  readonly #blobs: Blobs;
  readonly #host: RecordingHost;
  readonly #openRecordings = new OpenRecordings();
  /** For what is given away only, once enough is kept. */
  readonly #passing: RecordingHost;
  readonly #most: number;
  #isFull = false;
  /** Exchanges begun, those found in the folder included. */
  #began: number;
  #ended: number;
  /** Of those that are kept. */
  #keptBegun: number;
  #keptEnded: number;
  readonly #tracked = new Set<Promise<unknown>>();
  readonly #finisher: IncrementalFinisher | null;
  readonly #onNote: (note: Note) => void;
  #open = true;
  readonly #late: LateSecrets;

  constructor(dir: string, header: TraceHeader, options: CassetteOptions = {}) {
    const { redactor = new Redactor(), mode = 'create', onFailure = () => {} } = options;
    const folder = openFolder(dir, mode, redactedHeader(header, redactor), onFailure);
    const { continues } = folder.header;
    this.dir = dir;
    this.redactor = redactor;
    this.#work = folder.dir;
    this.#journal = folder.journal;
    this.#unlock = folder.unlock;
    this.#began = this.#ended = this.#keptBegun = this.#keptEnded = continues;
    this.#finisher = options.ahead === true && continues === 0 ? this.#finishAhead(folder.header) : null;
    this.#blobs = new Blobs(this.#work, onFailure);
    this.#late = new LateSecrets(redactor, {
      dir: this.#work,
      journal: this.#journal,
      blobs: this.#blobs,
      open: this.#openRecordings,
      finisher: this.#finisher,
    });
    this.#onNote = options.onNote ?? (() => {});
    this.#most = options.most ?? Number.POSITIVE_INFINITY;
    this.#host = this.#keepingHost(options);
    this.#passing = this.#passingHost(this.#host);
  }

  /** Begins to write the cassette while recording. */
  #finishAhead(header: JournalHeader): IncrementalFinisher {
    try {
      return new IncrementalFinisher(this.#work, header);
    } catch (error) {
      this.#unlock();
      throw error;
    }
  }

  /** The host of recordings that are kept. */
  #keepingHost({ collect = true, onLines, keepRequests }: CassetteOptions): RecordingHost {
    return {
      redactor: this.redactor,
      collect,
      isKept: true,
      onLines: onLines ?? null,
      blobs: this.#blobs,
      keepRequests: keepRequests ?? MAX_KEPT_REQUEST_BYTES,
      open: this.#openRecordings,
      write: (event, body) => {
        this.#late.takeOut();
        this.#journal.append(event, body);
      },
      search: () => this.#late.takeOut(),
      whole: (lines) => this.#finisher?.ended(lines),
      remark: (message) => this.note({ note: 'remark', message }),
      ended: () => {
        this.#keptEnded += 1;
        this.#ended += 1;
        return this.#ended;
      },
      commit: () => this.#journal.commit(),
      track: (ending) => {
        this.#tracked.add(ending);
        const forget = () => this.#tracked.delete(ending);
        ending.then(forget, forget);
      },
    };
  }

  /** The host of recordings that begin after enough was kept: they are only given to `onLines`. */
  #passingHost(keeping: RecordingHost): RecordingHost {
    return {
      ...keeping,
      isKept: false,
      write: () => this.#late.takeOut(),
      whole: () => {},
      commit: () => Promise.resolve(null),
      ended: () => {
        this.#ended += 1;
        return this.#ended;
      },
    };
  }

  /** Exchanges begun and kept, those found in the folder included. */
  get exchanges(): number {
    return this.#keptBegun;
  }

  /** Whether there is a cassette whose place it is to take. */
  get replaces(): boolean {
    return this.#work !== this.dir && existsSync(join(this.dir, 'cassette.jsonl'));
  }

  /** How many passed after enough was kept. */
  get passed(): number {
    return this.#began - this.#keptBegun;
  }

  /**
   * The head of an exchange that begins at present, and is written down only if it comes to something. Its secrets are known from now on, so that they are replaced in exchanges that are written before it. Throws as `begin` does.
   */
  beginning(head: RequestHead): RequestHead {
    this.#writable();
    this.redactor.headers(head.headers);
    this.redactor.target(head.target);
    this.#late.takeOut();
    return { ...head, after: this.#ended, since: performance.now(), began: Date.now() };
  }

  /** Begins an exchange. Throws CassetteError while the disk refuses, so that nothing passes unrecorded. */
  begin(head: RequestHead): Recording {
    this.#writable();
    this.#began += 1;
    // Kept are the first ones: their numbers have no gap.
    this.#isFull ||= this.#journal.size + this.#blobs.written >= this.#most;
    if (!this.#isFull) this.#keptBegun += 1;
    const host = this.#isFull ? this.#passing : this.#host;
    this.#finisher?.begun(this.#began);
    const recording = new Recording(this.#began, head.after ?? this.#ended, head, host);
    this.#late.begun();
    this.#remark();
    return recording;
  }

  /** Notes what the redactor has to say. */
  #remark(): void {
    for (const message of this.redactor.remarks()) this.note({ note: 'remark', message });
  }

  /** Writes a note down, and gives it back as it was stored. */
  note(content: NoteContent): Note {
    const note: Note = { after: this.#keptEnded, ...redactedNote(content, this.redactor) };
    const line: JournalNote = { e: 'note', ...note };
    this.#late.takeOut();
    this.#journal.append(line);
    this.#finisher?.noted(line);
    this.#onNote(note);
    return note;
  }

  /** Waits for the ends that are on their way to the disk; `onLines` and `onNote` have then received all there is. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#tracked);
    this.#remark();
    await this.#journal.commit().catch(() => {});
  }

  /** Whether every exchange that was begun has ended. */
  get isWhole(): boolean {
    return this.#ended === this.#began;
  }

  /** Whether a secret became known when something that may hold it had been written already; `finish` replaces it there. */
  get learnedLate(): boolean {
    return this.#late.any;
  }

  /** Stops recording and leaves the journal; `finishCassette` makes the cassette of it later. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#finisher?.drop();
    try {
      this.#stop();
    } finally {
      this.#unlock();
    }
  }

  /** Writes last remarks and closes the journal. */
  #stop(): void {
    try {
      this.#remark();
      this.#late.takeOut();
    } finally {
      this.#blobs.dropUnfinished();
      this.#journal.close();
    }
  }

  /**
   * Stops recording and writes the cassette. Exchanges that have not ended are kept as `recorder-killed`. Those that hold a
   * known secret all the same are left out, and the whole is put aside as `….quarantine`; null when no secret was found.
   * `place`: folder of the cassette, if it is not the one that was to be replaced. Throws CassetteError where it cannot be written: then the
   * journal stays, which `recover` makes the cassette of.
   */
  finish(place = this.dir): Quarantined | null {
    if (!this.#open) return null;
    this.#open = false;
    if (this.#isIdle()) {
      this.#finisher?.drop();
      this.#journal.close();
      removeCassette(this.#work);
      return null;
    }
    try {
      this.#complete();
      const quarantined = quarantine(this.#work, quarantineDir(this.dir), this.redactor);
      if (this.#work !== this.dir) installCassette(this.#work, place);
      return quarantined;
    } finally {
      this.#unlock(existsSync(this.#work) ? this.#work : place);
    }
  }

  /** Makes the cassette from the journal, or completes the incremental one. */
  #complete(): void {
    try {
      this.#stop();
      if (this.learnedLate) this.#finisher?.drop();
      if (this.#finisher?.finish()) unlinkSync(join(this.#work, 'journal.jsonl'));
      else finishIn(this.#work, this.learnedLate ? this.redactor : null);
    } catch (error) {
      if (!(error instanceof CassetteError) || error.kind !== 'unwritable') throw error;
      const message = `${error.message} The recording is kept in ${this.#work}, and can be read there. When there is room: npx assay recover ${this.#work}`;
      throw new CassetteError('unwritable', message, error);
    }
  }

  /** Whether nothing was recorded that could take the place of what is there. */
  #isIdle(): boolean {
    return this.replaces && this.#began === 0;
  }

  /** Throws CassetteError when the writer is closed or the disk still refuses. */
  #writable(): void {
    if (!this.#open)
      throw new CassetteError('unwritable', `${this.dir} is closed: nothing more can be recorded.`);
    if (this.#journal.failure !== null) this.#journal.flush();
  }
}

/** Begins a recording in a folder. Throws CassetteError where it holds a cassette, is in use or cannot be written. */
export function createCassette(dir: string, header: TraceHeader, options?: CassetteOptions): CassetteWriter {
  return new CassetteWriter(dir, header, options);
}
