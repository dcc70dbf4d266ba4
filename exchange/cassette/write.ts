import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../folder.ts';
import { Redactor } from '../redact.ts';
import type { Note, Remark, TraceHeader } from '../trace.ts';
import { Ahead } from './ahead.ts';
import { Blobs } from './blobs.ts';
import { because, CassetteError } from './error.ts';
import { finishIn, install, recordingDir, recoverIn } from './finish.ts';
import { refuseForeign } from './foreign.ts';
import { FORMAT, type JournalEvent, type JournalHeader, type JournalNote } from './format.ts';
import { Journal } from './journal.ts';
import { lock, lockedBy } from './lock.ts';
import { quarantine } from './quarantine.ts';
import { type Ledger, Recording, type RequestHead } from './recording.ts';
import { scan } from './scan.ts';

/** Request bodies beyond this are kept as digest and parts. */
export const KEEP_REQUESTS = 16 * 1024 * 1024;

export interface CassetteOptions {
  /** Takes out secrets; without one, only the header rules and the credentials met on the way are applied. */
  readonly redactor?: Redactor;
  /**
   * `create` (the default) refuses a folder that holds a cassette; `append` goes on with it; `replace` leaves the old
   * one in its place until the new one is finished.
   */
  readonly mode?: 'create' | 'append' | 'replace';
  /** Whether `end` gives the exchange back. Default true; a proxy that only records says false. */
  readonly collect?: boolean;
  /**
   * Receives the lines of each exchange that has ended; the end waits for the promise. Plain data, which `assemble` turns
   * into an exchange in any thread.
   */
  readonly onLines?: (lines: readonly JournalEvent[]) => Promise<unknown> | null;
  /** Receives each note as it is stored, the recorder's own remarks included. */
  readonly onNote?: (note: Note) => void;
  /** When so many bytes are kept, whatever begins after that is only given to `onLines`, and not kept. Default: no end. */
  readonly most?: number;
  /** Largest request body, in bytes, that is kept whole. */
  readonly keepRequests?: number;
  /** Write the cassette while recording, so that finishing takes less time; not with `most`. Default false. */
  readonly ahead?: boolean;
}

/** A cassette that is being recorded. One writer at a time; see `Recording` for one exchange. */
export class CassetteWriter {
  /** Where it will be when finished. */
  readonly dir: string;
  readonly redactor: Redactor;
  readonly #work: string;
  readonly #journal: Journal;
  readonly #unlock: (dir?: string) => void;
  readonly #ledger: Ledger;
  /** For what is given away only, once enough is kept. */
  readonly #passing: Ledger;
  readonly #most: number;
  #isFull = false;
  #began: number;
  #ended: number;
  /** Of those that are kept. */
  #keptBegun: number;
  #keptEnded: number;
  readonly #tracked = new Set<Promise<unknown>>();
  readonly #ahead: Ahead | null;
  readonly #onNote: (note: Note) => void;
  #open = true;
  /** Secrets known when the first exchange had begun: what is learned later may be on the disk already. */
  #early: number | null = null;

  constructor(dir: string, header: TraceHeader, options: CassetteOptions = {}) {
    const { redactor = new Redactor(), mode = 'create', collect = true } = options;
    this.dir = dir;
    this.redactor = redactor;
    this.#work = mode === 'replace' ? recordingDir(dir) : dir;
    if (mode === 'replace') refuseForeign(dir);
    makePlace(this.#work);
    this.#unlock = lock(this.#work);
    try {
      refuseBoth(dir, mode === 'replace' ? dir : recordingDir(dir));
      if (mode === 'replace') empty(this.#work);
      const continues = begin(this.#work, mode);
      this.#began = continues;
      this.#ended = continues;
      this.#keptBegun = continues;
      this.#keptEnded = continues;
      this.#journal = new Journal(join(this.#work, 'journal.jsonl'));
      const line: JournalHeader = { e: 'header', continues, ...header, format: FORMAT };
      this.#journal.append(line);
      this.#journal.flush();
      this.#ahead = options.ahead === true && continues === 0 ? new Ahead(this.#work, line) : null;
    } catch (error) {
      this.#unlock();
      throw error;
    }
    this.#onNote = options.onNote ?? (() => {});
    this.#most = options.most ?? Number.POSITIVE_INFINITY;
    this.#ledger = {
      redactor,
      collect,
      isKept: true,
      onLines: options.onLines ?? null,
      blobs: new Blobs(this.#work),
      keepRequests: options.keepRequests ?? KEEP_REQUESTS,
      write: (event, body) => this.#journal.append(event, body),
      whole: (lines) => this.#ahead?.ended(lines),
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
      ...this.#ledger,
      isKept: false,
      write: () => {},
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
    return { ...head, after: this.#ended, since: performance.now(), began: Date.now() };
  }

  /** Begins an exchange. Throws CassetteError while the disk refuses, so that nothing passes unrecorded. */
  begin(head: RequestHead): Recording {
    this.#writable();
    this.#began += 1;
    // Kept are the first ones: their numbers have no gap.
    this.#isFull ||= this.#journal.size + this.#ledger.blobs.written >= this.#most;
    if (!this.#isFull) this.#keptBegun += 1;
    const ledger = this.#isFull ? this.#passing : this.#ledger;
    this.#ahead?.begun(this.#began);
    const recording = new Recording(this.#began, head.after ?? this.#ended, head, ledger);
    this.#early ??= this.redactor.learned;
    this.#remark();
    return recording;
  }

  /** Notes what the redactor has to say. */
  #remark(): void {
    for (const message of this.redactor.remarks()) this.note({ note: 'remark', message });
  }

  /** Writes a note down, and gives it back as it was stored. */
  note(remark: Remark): Note {
    const note: Note = { after: this.#keptEnded, ...redacted(remark, this.redactor) };
    const line: JournalNote = { e: 'note', ...note };
    this.#journal.append(line);
    this.#ahead?.noted(line);
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
    return this.redactor.learned > (this.#early ?? 0);
  }

  /** Stops recording and leaves the journal; `finishCassette` or `openCassette` makes the cassette of it later. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#ahead?.drop();
    try {
      this.#remark();
      this.#journal.close();
    } finally {
      this.#unlock();
    }
  }

  /**
   * Stops recording and writes the cassette. Exchanges that have not ended are kept as `recorder-killed`. Should a known
   * secret have got through, the cassette is put aside as `….quarantine`, and CassetteError is thrown. `place`: where the
   * cassette goes that was to replace another.
   */
  finish(place = this.dir): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#isIdle()) {
      this.#ahead?.drop();
      this.#journal.close();
      rmSync(this.#work, { recursive: true, force: true });
      return;
    }
    try {
      this.#remark();
      this.#journal.close();
      if (this.learnedLate) this.#ahead?.drop();
      if (this.#ahead?.finish()) rmSync(join(this.#work, 'journal.jsonl'));
      else finishIn(this.#work, this.learnedLate ? this.redactor : null);
      quarantine(this.#work, this.dir, this.redactor);
      if (this.#work !== this.dir) install(this.#work, place);
    } finally {
      this.#unlock(existsSync(this.#work) ? this.#work : place);
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

/** One adds to a cassette while another replaces it: what is added would be lost. Each takes its own lock, then looks for the other's. */
function refuseBoth(dir: string, other: string): void {
  const holder = lockedBy(other);
  if (holder === null) return;
  const message = `${dir} is being recorded by process ${holder}. Record into another folder, or end that process first.`;
  throw new CassetteError('in-use', message);
}

/** Makes the folder fit for a new journal, and says how many exchanges it holds already. */
function begin(dir: string, mode: 'create' | 'append' | 'replace'): number {
  recoverIn(dir);
  if (!existsSync(join(dir, 'cassette.jsonl'))) return 0;
  const { exchanges } = scan(dir);
  if (mode === 'append' || exchanges === 0) return exchanges;
  throw new CassetteError(
    'not-empty',
    `${dir} already holds a cassette of ${exchanges} exchanges. Record into another folder, add to it, or replace it.`,
  );
}

function makePlace(dir: string): void {
  try {
    makeFolder(dir);
  } catch (error) {
    throw new CassetteError('unwritable', `${dir} cannot be made: ${because(error)}.`, error);
  }
}

function empty(dir: string): void {
  for (const name of ['journal.jsonl', 'cassette.jsonl', 'timing.jsonl', 'blobs']) {
    rmSync(join(dir, name), { recursive: true, force: true });
  }
}

function redacted(remark: Remark, redactor: Redactor): Remark {
  // as: redaction keeps the JSON, and with it the shape
  return JSON.parse(redactor.text(JSON.stringify(remark))) as Remark;
}
