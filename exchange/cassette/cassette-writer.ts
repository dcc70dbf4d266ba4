import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import { makeDirectory } from '../directory.ts';
import { LARGEST_READ } from '../http/body.ts';
import { Redactor } from '../redaction/redactor.ts';
import type { Note, NoteContent, TraceHeader } from '../trace.ts';
import { Blobs } from './blobs.ts';
import { finishIn, installCassette, openFinished, recoverCassette, recoverIn } from './finish.ts';
import {
  CassetteError,
  emptyCassette,
  entryKind,
  failedDir,
  interruptedDir,
  isFolder,
  quarantineDir,
  recordingDir,
  refuseDisguised,
  refuseForeignFiles,
  refuseNoFolder,
  removeCassette,
  replacedDir,
  writing,
} from './folder.ts';
import { Journal } from './journal.ts';
import { LateSecrets } from './late-secrets.ts';
import { readFileLines } from './line-files.ts';
import { FORMAT_VERSION, type JournalEvent, type JournalHeader, type JournalNote } from './lines.ts';
import { lockCassette, lockedBy } from './lock.ts';
import { type Quarantined, quarantine } from './quarantine.ts';
import { Recording, type RecordingSink, type RequestHead } from './recording.ts';
import { scanCassette } from './scan.ts';

/** Larger request bodies are kept as a digest. Bytes. */
export const MAX_KEPT_REQUEST_BYTES = 16 * 1024 * 1024;
/** Streams in flight that together exceed this many times `judged` are not judged. */
const HELD_AT_ONCE = 4;

/** A cassette that is being recorded, by one writer at a time. */
export class CassetteWriter {
  readonly dir: string;
  readonly redactor: Redactor;
  readonly #work: string;
  readonly #journal: Journal;
  readonly #unlock: (dir?: string) => void;
  readonly #blobs: Blobs;
  readonly #recorder: RecordingSink;
  readonly #open: Recording[] = [];
  readonly #most: number;
  /** Bytes of streams in flight that are held for the judge. */
  #held = 0;
  #isFull = false;
  /** Exchanges begun, including those found in the folder. */
  #began: number;
  #ended: number;
  /** Exchanges kept; fewer than all once `most` bytes are reached. */
  #keptBegun: number;
  #keptEnded: number;
  readonly #onNote: (note: Note) => void;
  #isOpen = true;
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
    this.#blobs = new Blobs(this.#work, onFailure);
    this.#late = new LateSecrets(redactor, {
      dir: this.#work,
      journal: this.#journal,
      blobs: this.#blobs,
      open: this.#open,
    });
    this.#onNote = options.onNote ?? (() => {});
    this.#most = options.most ?? Number.POSITIVE_INFINITY;
    this.#recorder = this.#makeSink(options);
  }

  #makeSink({
    collect = true,
    onLines,
    keepRequests,
    judged = LARGEST_READ,
  }: CassetteOptions): RecordingSink {
    const open = this.#open;
    return {
      redactor: this.redactor,
      blobs: this.#blobs,
      keepRequests: keepRequests ?? MAX_KEPT_REQUEST_BYTES,
      collect,
      onLines: onLines ?? null,
      judged,
      reserve: (bytes) => {
        if (this.#held + bytes > HELD_AT_ONCE * judged) return false;
        this.#held += bytes;
        return true;
      },
      release: (bytes) => {
        this.#held -= bytes;
      },
      begun: (recording) => {
        recording.slot = open.push(recording) - 1;
      },
      ended: (recording) => {
        // Not a Set: each table that a Set outgrows keeps ended recordings in memory until the next full collection.
        const last = open.pop();
        if (last !== undefined && last !== recording) {
          open[recording.slot] = last;
          last.slot = recording.slot;
        }
        if (recording.isKept) this.#keptEnded += 1;
        this.#ended += 1;
        return this.#ended;
      },
      write: (event) => {
        this.#late.remove();
        this.#journal.append(event);
      },
      removeLateSecrets: () => this.#late.remove(),
      commit: () => this.#journal.commit(),
      remark: (message) => this.note({ note: 'remark', message }),
    };
  }

  /** Exchanges begun and kept, including those found in the folder. */
  get exchanges(): number {
    return this.#keptBegun;
  }

  get replaces(): boolean {
    return this.#work !== this.dir && existsSync(join(this.dir, 'cassette.jsonl'));
  }

  /** Exchanges that were not kept because `most` bytes were reached. */
  get passed(): number {
    return this.#began - this.#keptBegun;
  }

  /**
   * The head of an exchange that begins now but may be recorded later, if at all. Its secrets are known from now on.
   * Throws as `begin` does.
   */
  beginning(head: RequestHead): RequestHead {
    this.#writable();
    this.redactor.headers(head.headers);
    this.redactor.target(head.target);
    this.#late.remove();
    return { ...head, after: this.#ended, since: performance.now(), began: Date.now() };
  }

  /** Throws CassetteError while the disk refuses, so that no traffic goes unrecorded. */
  begin(head: RequestHead): Recording {
    this.#writable();
    this.#began += 1;
    // Only the first exchanges are kept, so that their numbers have no gaps.
    this.#isFull ||= this.#journal.size + this.#blobs.written >= this.#most;
    if (!this.#isFull) this.#keptBegun += 1;
    const place = { i: this.#began, after: head.after ?? this.#ended, isKept: !this.#isFull };
    const recording = new Recording(this.#recorder, place, head);
    this.#late.noteBegin();
    this.#remark();
    return recording;
  }

  #remark(): void {
    for (const message of this.redactor.remarks()) this.note({ note: 'remark', message });
  }

  note(content: NoteContent): Note {
    const note: Note = { after: this.#keptEnded, ...redactedNote(content, this.redactor) };
    const line: JournalNote = { e: 'note', ...note };
    this.#late.remove();
    this.#journal.append(line);
    this.#onNote(note);
    return note;
  }

  /** Waits until all ended exchanges are on the disk, and `onLines` and `onNote` have received everything. */
  async settled(): Promise<void> {
    this.#remark();
    await this.#journal.commit().catch(() => {});
  }

  get isWhole(): boolean {
    return this.#ended === this.#began;
  }

  /** Whether a secret became known after something that may contain it was written. `finish` then redacts again. */
  get learnedLate(): boolean {
    return this.#late.any;
  }

  /** Stops recording but leaves the journal, for `finishCassette`. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#stop();
    } finally {
      this.#unlock();
    }
  }

  #stop(): void {
    try {
      this.#remark();
      this.#late.remove();
    } finally {
      this.#blobs.dropUnfinished();
      this.#journal.close();
    }
  }

  /**
   * Stops recording and writes the cassette into `place`. Exchanges in flight become `recorder-killed`. If an exchange
   * still contains a known secret, it is left out and the whole recording is moved to `….quarantine`; returns null if
   * there was none. Throws CassetteError if the disk refuses: the journal then stays for `recover`.
   */
  finish(place = this.dir): Quarantined | null {
    if (!this.#isOpen) return null;
    this.#isOpen = false;
    if (this.#isIdle()) {
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
      finishIn(this.#work, this.learnedLate ? this.redactor : null);
    } catch (error) {
      if (!(error instanceof CassetteError) || error.kind !== 'unwritable') throw error;
      const { unwritten } = this.#journal;
      const state =
        unwritten === 0
          ? `All of its ${plural(this.#keptBegun)} are complete.`
          : `${unwritten} of its ${plural(this.#keptBegun)} ${unwritten === 1 ? 'is' : 'are'} incomplete or missing.`;
      const message = `${error.message} The recording is kept in ${this.#work}, and can be read there. ${state} When there is room: npx assay recover ${this.#work}`;
      throw new CassetteError('unwritable', message, error);
    }
  }

  /** Whether nothing was recorded that could replace the existing cassette. */
  #isIdle(): boolean {
    return this.replaces && this.#began === 0;
  }

  #writable(): void {
    if (!this.#isOpen)
      throw new CassetteError('unwritable', `${this.dir} is closed: nothing more can be recorded.`);
    if (this.#journal.failure !== null) this.#journal.flush();
  }
}

function plural(exchanges: number): string {
  return exchanges === 1 ? '1 exchange' : `${exchanges} exchanges`;
}

/** Begins recording into a folder. Throws CassetteError if it already holds a cassette, is in use, or cannot be written. */
export function createCassette(dir: string, header: TraceHeader, options?: CassetteOptions): CassetteWriter {
  return new CassetteWriter(dir, header, options);
}

export interface CassetteOptions {
  /** Default: a redactor that knows only the header rules, and learns credentials from the traffic. */
  readonly redactor?: Redactor;
  /**
   * `create` (the default) refuses a folder that holds a cassette, `append` adds to it, and `replace` keeps the old one
   * until the new one is finished.
   */
  readonly mode?: WriteMode;
  /** Whether `end` returns the exchange. Default true. */
  readonly collect?: boolean;
  /** Receives the lines of each ended exchange, for `assembleExchange` in any thread. The end waits for the promise. */
  readonly onLines?: (lines: readonly JournalEvent[]) => Promise<unknown> | null;
  /**
   * Larger responses are not passed to `onLines`, nor are streams in flight that together exceed four times this size.
   * Default: `LARGEST_READ`. Bytes.
   */
  readonly judged?: number;
  /** Receives each note as stored, including the recorder's own notes. */
  readonly onNote?: (note: Note) => void;
  /** After this many bytes, new exchanges are passed to `onLines` but not kept. Default: unlimited. */
  readonly most?: number;
  /** Larger request bodies are kept as a digest. Bytes. */
  readonly keepRequests?: number;
  /** Gets the error when writes begin to fail, and again only after one has succeeded. */
  readonly onFailure?: (error: CassetteError) => void;
}

type WriteMode = 'create' | 'append' | 'replace';

interface OpenedFolder {
  /** The folder that is written to: that of the cassette, or with `replace` the one next to it. */
  readonly dir: string;
  readonly header: JournalHeader;
  readonly journal: Journal;
  /** Releases the lock; `dir` is where the lock file is now. */
  readonly unlock: (dir?: string) => void;
}

/**
 * Locks the folder of a cassette and begins a journal in it. Throws CassetteError (and releases the lock) if the folder
 * is in use, is not a cassette's, cannot be written, or (with `create`) holds a cassette.
 */
function openFolder(
  dir: string,
  mode: WriteMode,
  header: TraceHeader,
  onFailure: (error: CassetteError) => void,
): OpenedFolder {
  const work = mode === 'replace' ? recordingDir(dir) : dir;
  refusePlaces(dir, mode);
  if (mode === 'append') recoverCassette(dir);
  if (mode === 'replace') keepInterrupted(work, dir);
  makePlace(work);
  const unlock = lockCassette(work);
  try {
    refuseBoth(dir, mode === 'replace' ? dir : recordingDir(dir));
    if (mode === 'replace') emptyCassette(work);
    const line: JournalHeader = {
      e: 'header',
      continues: prepare(work, mode),
      ...header,
      format: FORMAT_VERSION,
    };
    const journal = new Journal(join(work, 'journal.jsonl'), onFailure);
    journal.append(line);
    journal.flush();
    return { dir: work, header: line, journal, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Refuses to append while another process replaces the cassette, and vice versa. Each takes its own lock
 * before it looks for the other's.
 */
function refuseBoth(dir: string, other: string): void {
  const holder = lockedBy(other);
  if (holder === null) return;
  const message = `${dir} is being recorded by process ${holder}. Record into another folder, or end that process first.`;
  throw new CassetteError('in-use', message);
}

/**
 * Moves aside, with a warning, the recording of a recorder that was killed before it could replace the cassette. A recording
 * without exchanges is dropped.
 */
function keepInterrupted(work: string, dir: string): void {
  if (!isFolder(work) || !hasExchanges(work)) return;
  // Throws while another process records into the folder.
  const unlock = lockCassette(work);
  const place = interruptedDir(dir);
  try {
    writing(work, () => renameSync(work, place));
  } finally {
    unlock(existsSync(place) ? place : work);
  }
  const message = `An interrupted recording was in the way of a new one. It is kept in ${place}. Finish it there: npx assay recover ${place}`;
  process.emitWarning(message, 'CassetteWarning');
}

function hasExchanges(dir: string): boolean {
  if (entryKind(join(dir, 'cassette.jsonl')) !== null) return true;
  const journal = join(dir, 'journal.jsonl');
  if (entryKind(journal) === null) return false;
  let n = 0;
  for (const { whole } of readFileLines(journal)) {
    n += 1;
    if (n > 1 && whole) return true;
  }
  return false;
}

/**
 * Throws CassetteError if a folder to write or replace is a link, or holds files that are not part of a
 * cassette.
 */
function refusePlaces(dir: string, mode: WriteMode): void {
  if (mode === 'replace') {
    for (const place of [dir, recordingDir(dir), replacedDir(dir), failedDir(dir)]) refuseForeignFiles(place);
  } else {
    refuseNoFolder(dir);
    refuseDisguised(dir);
  }
  refuseForeignFiles(quarantineDir(dir));
}

/** Prepares the folder for a new journal and returns the number of exchanges already in it. */
function prepare(dir: string, mode: WriteMode): number {
  recoverIn(dir);
  if (!existsSync(join(dir, 'cassette.jsonl'))) return 0;
  const files = openFinished(dir);
  try {
    const { exchanges } = scanCassette(files.lines);
    if (mode === 'append' || exchanges === 0) return exchanges;
    throw new CassetteError(
      'not-empty',
      `${dir} already holds a cassette of ${exchanges} exchanges. Record into another folder, add to it, or replace it.`,
    );
  } finally {
    files.close();
  }
}

function makePlace(dir: string): void {
  try {
    makeDirectory(dir);
  } catch (error) {
    throw new CassetteError('unwritable', `${dir} cannot be made: ${messageOf(error)}.`, error);
  }
}

/** Values of these members are words of the format, which a user's pattern must not change. */
const ENUMERATED: ReadonlySet<string> = new Set(['note', 'how', 'reason', 'kind', 'e', 'disturbance']);
/** Used if the rules leave nothing that parses as a URL. */
const NO_URL = 'http://redacted.invalid/v1';

/** A note with secrets and rule matches replaced in its strings; keys and words of the format stay. */
function redactedNote(note: NoteContent, redactor: Redactor): NoteContent {
  const text = JSON.stringify(note, (key, item: unknown) =>
    typeof item === 'string' && !ENUMERATED.has(key) ? redactor.text(item) : item,
  );
  return JSON.parse(text) as NoteContent; // as: only the content of strings has changed
}

/**
 * A header with known secrets replaced. The user's rules apply only to the target: readers need the other strings
 * unchanged, and a valid URL.
 */
function redactedHeader(header: TraceHeader, redactor: Redactor): TraceHeader {
  const known = redactor.known.strings(header);
  const baseUrl = redactor.text(known.target.baseUrl);
  const target = {
    baseUrl: URL.canParse(baseUrl) ? baseUrl : NO_URL,
    name: redactor.text(known.target.name),
  };
  return { ...known, target: { ...known.target, ...target } };
}
