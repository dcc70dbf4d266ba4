import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import { plural } from '../../schemas/message-text.ts';
import { makeDirectory } from '../directory.ts';
import { Redactor, redactStrings } from '../redaction/redactor.ts';
import { shellQuote } from '../shell-quote.ts';
import type { Note, NoteContent, TraceHeader } from '../trace.ts';
import { Blobs } from './blobs.ts';
import { attemptWrite, CassetteError } from './cassette-error.ts';
import { isFolder } from './entries.ts';
import { finishIn, installCassette, recoverCassette, recoverIn } from './finish.ts';
import { countExchangesIn } from './finished-files.ts';
import {
  containsFile,
  emptyCassette,
  failedDir,
  interruptedDir,
  quarantineDir,
  recordingDir,
  refuseDisguised,
  refuseForeignFiles,
  refuseNonFolder,
  removeCassette,
  replacedDir,
} from './folder.ts';
import { Journal } from './journal.ts';
import { LateSecrets } from './late-secrets.ts';
import { readFileLines } from './line-reader.ts';
import { FORMAT_VERSION, type JournalEvent, type JournalNote } from './lines.ts';
import { inUseError, lockCassette, lockHolder } from './lock.ts';
import { type Quarantined, quarantine } from './quarantine.ts';
import { MemoryRecorder, type RecorderOptions, Recording, type RequestHead } from './recording.ts';

/** Maximum size of all streams held for the judge, in units of `maxResponseBytes`; others reach it without content. */
const HELD_STREAMS_FACTOR = 4;

export class CassetteWriter extends MemoryRecorder {
  readonly dir: string;
  readonly #workDir: string;
  readonly #journal: Journal;
  readonly #unlock: (dir?: string) => void;
  readonly #active: Recording[] = [];
  readonly #maxBytes: number;
  #heldBytes = 0;
  #isFull = false;
  #keptBegun: number;
  #keptEnded: number;
  readonly #onNote: (note: Note) => void;
  #isOpen = true;
  readonly #late: LateSecrets;

  constructor(dir: string, header: TraceHeader, options: CassetteOptions = {}) {
    const { redactor = new Redactor(), mode = 'create', onFailure = () => {} } = options;
    const folder = openFolder(dir, mode, redactHeader(header, redactor), onFailure);
    const { work, continues, journal, unlock } = folder;
    super(redactor, options, new Blobs(work, onFailure));
    this.dir = dir;
    this.#workDir = work;
    this.#journal = journal;
    this.#unlock = unlock;
    // Exchanges already in the folder count too.
    this.begun = this.ended = this.#keptBegun = this.#keptEnded = continues;
    this.#late = new LateSecrets(redactor, {
      dir: work,
      journal,
      blobs: this.blobs,
      openRecordings: this.#active,
    });
    this.#onNote = options.onNote ?? (() => {});
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  override reserve(bytes: number): boolean {
    if (this.#heldBytes + bytes > HELD_STREAMS_FACTOR * this.maxResponseBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }

  override release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  override onBegin(recording: Recording): void {
    recording.slot = this.#active.push(recording) - 1;
  }

  override onEnd(recording: Recording): number {
    // Not a Set: each table that a Set outgrows keeps ended recordings in memory until the next full collection.
    const last = this.#active.pop();
    if (last !== undefined && last !== recording) {
      this.#active[recording.slot] = last;
      last.slot = recording.slot;
    }
    if (recording.isKept) this.#keptEnded += 1;
    return super.onEnd(recording);
  }

  override write(event: JournalEvent): void {
    this.#late.remove();
    this.#journal.append(event);
  }

  override removeLateSecrets(): void {
    this.#late.remove();
  }

  override commit(): Promise<null> {
    return this.#journal.commit();
  }

  get exchanges(): number {
    return this.#keptBegun;
  }

  get replacesCassette(): boolean {
    return this.#workDir !== this.dir && existsSync(join(this.dir, 'cassette.jsonl'));
  }

  get unkeptCount(): number {
    return this.begun - this.#keptBegun;
  }

  prepareHead(head: RequestHead): RequestHead {
    this.#ensureWritable();
    this.redactor.redactHeaders(head.headers);
    this.redactor.redactTarget(head.target);
    this.#late.remove();
    return { ...head, after: this.ended, since: performance.now(), began: Date.now() };
  }

  /** Throws CassetteError after `close` or `finish`, and while the disk refuses writes: no traffic goes unrecorded. */
  override begin(head: RequestHead): Recording {
    this.#ensureWritable();
    this.begun += 1;
    // Only the first exchanges are kept, so that their numbers have no gaps.
    this.#isFull ||= this.#journal.size + this.blobs.writtenBytes >= this.#maxBytes;
    if (!this.#isFull) this.#keptBegun += 1;
    const place = { i: this.begun, after: head.after ?? this.ended, isKept: !this.#isFull };
    const recording = new Recording(this, place, head);
    this.#late.noteBegin();
    this.#noteRemarks();
    return recording;
  }

  #noteRemarks(): void {
    for (const message of this.redactor.takeRemarks()) this.note({ note: 'remark', message });
  }

  override note(content: NoteContent): Note {
    const redacted = redactStrings(content, (text) => this.redactor.redactText(text));
    const note: Note = { after: this.#keptEnded, ...redacted };
    const line: JournalNote = { e: 'note', ...note };
    this.#late.remove();
    this.#journal.append(line);
    this.#onNote(note);
    return note;
  }

  async waitUntilWritten(): Promise<void> {
    this.#noteRemarks();
    await this.#journal.commit().catch(() => {});
  }

  get haveAllEnded(): boolean {
    return this.ended === this.begun;
  }

  /** Whether a secret became known after content that may contain it was written. `finish` then redacts again. */
  get hasLearnedLate(): boolean {
    return this.#late.hasLearned;
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
      this.#noteRemarks();
      this.#late.remove();
    } finally {
      this.blobs.close();
      this.#journal.close();
    }
  }

  /**
   * With `replace`, moves the finished cassette to `place`. Exchanges in flight become `recorder-killed`. Exchanges and
   * notes that still contain a known secret are left out, and the complete recording is kept in `….quarantine`. Returns
   * null if nothing was left out. Throws CassetteError if a write fails, and keeps the journal unless the cassette is
   * complete.
   */
  finish(place = this.dir): Quarantined | null {
    if (!this.#isOpen) return null;
    this.#isOpen = false;
    try {
      // Nothing was recorded that could replace the existing cassette.
      if (this.replacesCassette && this.begun === 0) {
        this.#journal.close();
        removeCassette(this.#workDir);
        return null;
      }
      this.#complete();
      const quarantined = quarantine(this.#workDir, quarantineDir(this.dir), this.redactor);
      if (this.#workDir !== this.dir) installCassette(this.#workDir, place);
      return quarantined;
    } finally {
      this.#unlock(existsSync(this.#workDir) ? this.#workDir : place);
    }
  }

  #complete(): void {
    try {
      this.#stop();
      finishIn(this.#workDir, this.hasLearnedLate ? this.redactor : null);
    } catch (error) {
      if (!(error instanceof CassetteError) || error.kind !== 'unwritable') throw error;
      const { unwrittenCount } = this.#journal;
      const exchanges = plural(this.#keptBegun, 'exchange');
      const state =
        unwrittenCount === 0
          ? `It is complete, with ${exchanges}.`
          : `${unwrittenCount} of ${exchanges} ${unwrittenCount === 1 ? 'is' : 'are'} incomplete or missing.`;
      const message = `${error.message} The recording is kept in ${this.#workDir}, and can be read there. ${state} When there is room: npx assay recover ${shellQuote(this.#workDir)}`;
      throw new CassetteError('unwritable', message, error);
    }
  }

  #ensureWritable(): void {
    if (!this.#isOpen)
      throw new CassetteError('unwritable', `${this.dir} is closed: nothing more can be recorded.`);
    if (this.#journal.failure !== null) this.#journal.flush();
  }
}

export function createCassette(dir: string, header: TraceHeader, options?: CassetteOptions): CassetteWriter {
  return new CassetteWriter(dir, header, options);
}

export interface CassetteOptions extends RecorderOptions {
  /** Default: a redactor without options, which learns credentials from the traffic. */
  readonly redactor?: Redactor;
  /**
   * `create` (the default) refuses a folder that holds a cassette with exchanges, `append` adds to it, and `replace`
   * keeps the old one until the new one is finished.
   */
  readonly mode?: WriteMode;
  readonly onNote?: (note: Note) => void;
  /** After this many bytes, new exchanges are passed to `onLines` but not kept. Default: unlimited. */
  readonly maxBytes?: number;
  readonly onFailure?: (error: CassetteError) => void;
}

type WriteMode = 'create' | 'append' | 'replace';

/**
 * Locks the folder to write (`replace`: the one next to the cassette) and begins a journal. Throws CassetteError,
 * holding no lock, if the folder is in use, unwritable, or holds exchanges (`create`) or foreign files (`replace`).
 */
function openFolder(
  dir: string,
  mode: WriteMode,
  header: TraceHeader,
  onFailure: (error: CassetteError) => void,
) {
  const work = mode === 'replace' ? recordingDir(dir) : dir;
  refusePlaces(dir, mode);
  if (mode === 'append') recoverCassette(dir);
  if (mode === 'replace') keepInterrupted(work, dir);
  makeWorkFolder(work);
  const unlock = lockCassette(work);
  try {
    refuseConcurrentWriter(dir, mode === 'replace' ? dir : recordingDir(dir));
    if (mode === 'replace') emptyCassette(work);
    const continues = recoverExchanges(work, mode);
    const journal = new Journal(join(work, 'journal.jsonl'), onFailure);
    journal.append({ e: 'header', continues, ...header, format: FORMAT_VERSION });
    journal.flush();
    return { work, continues, journal, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Refuses to write in place while another process replaces the cassette, or vice versa; each locks, then looks. */
function refuseConcurrentWriter(dir: string, other: string): void {
  const holder = lockHolder(other);
  if (holder !== null) throw inUseError(dir, holder);
}

/**
 * Moves aside, with a warning, the recording of a recorder that was killed before it replaced the cassette. A recording
 * of which only the header was written stays, and the new one overwrites it.
 */
function keepInterrupted(work: string, dir: string): void {
  if (!isFolder(work) || !hasMoreThanHeader(work)) return;
  const unlock = lockCassette(work);
  const place = interruptedDir(dir);
  try {
    attemptWrite(work, () => renameSync(work, place));
  } finally {
    unlock(existsSync(place) ? place : work);
  }
  const message = `An interrupted recording was in the way of a new one. It is kept in ${place}. Finish it there: npx assay recover ${shellQuote(place)}`;
  process.emitWarning(message, 'CassetteWarning');
}

function hasMoreThanHeader(dir: string): boolean {
  if (containsFile(dir, 'cassette.jsonl')) return true;
  if (!containsFile(dir, 'journal.jsonl')) return false;
  for (const { offset, isWhole } of readFileLines(join(dir, 'journal.jsonl')))
    if (offset > 0 && isWhole) return true;
  return false;
}

function refusePlaces(dir: string, mode: WriteMode): void {
  if (mode === 'replace') {
    for (const place of [dir, recordingDir(dir), replacedDir(dir), failedDir(dir)]) refuseForeignFiles(place);
  } else {
    refuseNonFolder(dir);
    refuseDisguised(dir);
  }
  refuseForeignFiles(quarantineDir(dir));
}

function recoverExchanges(dir: string, mode: WriteMode): number {
  recoverIn(dir);
  const exchanges = countExchangesIn(dir) ?? 0;
  if (mode === 'append' || exchanges === 0) return exchanges;
  throw new CassetteError(
    'not-empty',
    `${dir} already holds a cassette of ${plural(exchanges, 'exchange')}. Record into another folder, add to it, or replace it.`,
  );
}

function makeWorkFolder(dir: string): void {
  try {
    makeDirectory(dir);
  } catch (error) {
    throw new CassetteError('unwritable', `${dir} cannot be created: ${messageOf(error)}.`, error);
  }
}

const REDACTED_URL = 'http://redacted.invalid/v1';

/**
 * The user's rules apply only to the target: the other strings are needed unchanged by readers, and a base URL must
 * stay valid.
 */
function redactHeader(header: TraceHeader, redactor: Redactor): TraceHeader {
  const known = redactor.known.redactStrings(header);
  const baseUrl = redactor.redactText(known.target.baseUrl);
  const target = {
    baseUrl: URL.canParse(baseUrl) ? baseUrl : REDACTED_URL,
    name: redactor.redactText(known.target.name),
  };
  return { ...known, target };
}
