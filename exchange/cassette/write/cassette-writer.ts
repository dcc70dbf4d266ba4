import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Redactor } from '../../redaction/redactor.ts';
import type { Note, NoteContent, TraceHeader } from '../../trace.ts';
import type { CassetteOptions } from '../cassette-options.ts';
import { CassetteError } from '../error.ts';
import { FORMAT_VERSION, type JournalHeader, type JournalNote } from '../format/lines.ts';
import { finishIn, installCassette, recoverCassette } from '../journal/finish.ts';
import { IncrementalFinisher } from '../journal/incremental-finish.ts';
import { Journal } from '../journal/journal.ts';
import { LateSecrets } from '../journal/late-secrets.ts';
import { type Quarantined, quarantine } from '../quarantine.ts';
import { emptyCassette, removeCassette } from '../read/contents.ts';
import { Blobs } from './blobs.ts';
import type { RecordingHost } from './ledger.ts';
import { lockCassette } from './lock.ts';
import { OpenRecordings } from './open-recordings.ts';
import { quarantineDir, recordingDir } from './places.ts';
import { Recording, type RequestHead } from './recording.ts';
import { begin, makePlace, refuseBoth, refusePlaces } from './writer-folder.ts';

export type { CassetteOptions } from '../cassette-options.ts';

/** Request bodies beyond this are kept as digest and parts. */
export const MAX_KEPT_REQUEST_BYTES = 16 * 1024 * 1024;

/** A cassette that is being recorded. One writer at a time; see `Recording` for one exchange. */
export class CassetteWriter {
  /** Where it will be when finished. */
  readonly dir: string;
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
    const { redactor = new Redactor(), mode = 'create', collect = true } = options;
    this.dir = dir;
    this.redactor = redactor;
    this.#work = mode === 'replace' ? recordingDir(dir) : dir;
    refusePlaces(dir, mode);
    if (mode === 'append') recoverCassette(dir);
    makePlace(this.#work);
    this.#unlock = lockCassette(this.#work);
    const onFailure = options.onFailure ?? (() => {});
    try {
      refuseBoth(dir, mode === 'replace' ? dir : recordingDir(dir));
      if (mode === 'replace') emptyCassette(this.#work);
      const continues = begin(this.#work, mode);
      this.#began = continues;
      this.#ended = continues;
      this.#keptBegun = continues;
      this.#keptEnded = continues;
      this.#journal = new Journal(join(this.#work, 'journal.jsonl'), onFailure);
      const line: JournalHeader = {
        e: 'header',
        continues,
        ...redacted(header, redactor),
        format: FORMAT_VERSION,
      };
      this.#journal.append(line);
      this.#journal.flush();
      this.#finisher =
        options.ahead === true && continues === 0 ? new IncrementalFinisher(this.#work, line) : null;
    } catch (error) {
      this.#unlock();
      throw error;
    }
    this.#blobs = new Blobs(this.#work, onFailure);
    this.#late = new LateSecrets(redactor, {
      journal: this.#journal,
      blobs: this.#blobs,
      open: this.#openRecordings,
      finisher: this.#finisher,
    });
    this.#onNote = options.onNote ?? (() => {});
    this.#most = options.most ?? Number.POSITIVE_INFINITY;
    this.#host = {
      redactor,
      collect,
      isKept: true,
      onLines: options.onLines ?? null,
      blobs: this.#blobs,
      keepRequests: options.keepRequests ?? MAX_KEPT_REQUEST_BYTES,
      open: this.#openRecordings,
      write: (event, body) => {
        this.#late.takeOut();
        this.#journal.append(event, body);
      },
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
    this.#passing = {
      ...this.#host,
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
   * The head of an exchange that begins at present, and is written down only if it comes to something. What it tells to be
   * secret is known from now on: others may tell it first. Throws as `begin` does.
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
    const note: Note = { after: this.#keptEnded, ...redacted(content, this.redactor) };
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
   * known secret all the same are left out, and the whole is put aside as `….quarantine`; null where there are none.
   * `place`: where the cassette goes that was to replace another. Throws CassetteError where it cannot be written: then the
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

  #writable(): void {
    if (!this.#open)
      throw new CassetteError('unwritable', `${this.dir} is closed: nothing more can be recorded.`);
    if (this.#journal.failure !== null) this.#journal.flush();
  }
}

export function createCassette(dir: string, header: TraceHeader, options?: CassetteOptions): CassetteWriter {
  return new CassetteWriter(dir, header, options);
}

function redacted<T extends NoteContent | TraceHeader>(value: T, redactor: Redactor): T {
  // as: redaction keeps the JSON, and with it the shape
  return JSON.parse(redactor.text(JSON.stringify(value))) as T;
}
