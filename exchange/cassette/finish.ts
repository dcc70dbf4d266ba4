import { closeSync, existsSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type BlobStore, Blobs, BlobsInMemory, LinesInMemory, namedBlob, namedBlobsOf } from './blobs.ts';
import { type Lines, scanCassette } from './cassette.ts';
import { collectLines, type ExchangeLines, renderExchange } from './exchange-lines.ts';
import {
  CassetteError,
  contentsOf,
  entryKind,
  holdsRecording,
  isFolder,
  missingCassette,
  openIfThere,
  recordingDir,
  refuseDisguised,
  refuseForeignFiles,
  removeCassette,
  replacedDir,
} from './folder.ts';
import { type JournalItem, readJournal } from './journal.ts';
import { redactLines } from './late-secrets.ts';
import { LineFile, type LineSink, linesOf } from './line-files.ts';
import {
  type CloseLine,
  FORMAT_VERSION,
  type JournalEvent,
  type JournalHeader,
  type JournalNote,
  type NoteLine,
  type TimingHeader,
} from './lines.ts';
import { lockCassette } from './lock.ts';
import { recoveredSecrets } from './recovered-secrets.ts';

/** Options of making a cassette from its journal. */
export interface FinishOptions {
  /** Knows secrets that were learned after they may have been written: they are replaced now. */
  readonly redactor?: Redactor | null;
}

/**
 * Makes the cassette of what was recorded and left unfinished in `dir`, or beside it to replace it. Does nothing where
 * there is nothing to do. Throws CassetteError when it is in use, damaged, or cannot be written.
 */
export function finishCassette(dir: string, options: FinishOptions = {}): void {
  const { redactor = null } = options;
  const beside = recordingDir(dir);
  if (holdsAny(beside)) finishBeside(beside, dir, redactor);
  else if (holds(dir, 'journal.jsonl')) finishInPlace(dir, redactor);
}

/**
 * Makes a cassette of what a killed recorder left: of its additions, or of the first recording, never of half a replacement.
 * Gives whether there was anything to do. Throws as `finishCassette`.
 */
export function recoverCassette(dir: string): boolean {
  const isHere = recoverInPlace(dir);
  const beside = recordingDir(dir);
  if (holds(dir, 'cassette.jsonl') || !holdsAny(beside)) return isHere;
  finishBeside(beside, dir, null);
  return true;
}

/** The same for additions alone: what was to replace the cassette, or to be its first recording, stays where it is. */
export function recoverInPlace(dir: string): boolean {
  const isHere = holds(dir, 'journal.jsonl');
  if (isHere) finishInPlace(dir, null);
  return isHere;
}

/** Whether a folder has a file of this name. */
function holds(dir: string, name: string): boolean {
  return entryKind(join(dir, name)) !== null;
}

/** Whether a folder has a journal or a cassette. */
function holdsAny(dir: string): boolean {
  return isFolder(dir) && holdsRecording(dir);
}

/** Makes the cassette in the folder of its journal. */
function finishInPlace(dir: string, redactor: Redactor | null): void {
  refuseDisguised(dir);
  const unlock = lockCassette(dir);
  try {
    recoverIn(dir, redactor);
  } finally {
    unlock();
  }
}

/** Makes the cassette in the folder beside it, then replaces the earlier one. */
function finishBeside(beside: string, dir: string, redactor: Redactor | null): void {
  refuseForeignFiles(beside);
  const unlock = lockCassette(beside);
  try {
    recoverIn(beside, redactor);
    if (holds(beside, 'cassette.jsonl')) installCassette(beside, dir);
  } finally {
    unlock(existsSync(beside) ? beside : dir);
  }
}

/** As `finishIn`, where a journal was left behind. Without a redactor, late secrets are recognised by what the journal holds. */
export function recoverIn(dir: string, redactor: Redactor | null = null): void {
  if (holds(dir, 'journal.jsonl')) finishIn(dir, redactor ?? recoveredSecrets(dir, new Blobs(dir)));
}

/** Turns the journal of a folder into its cassette. The caller holds the lock. Killed at any point, it can be done again. */
export function finishIn(dir: string, redactor: Redactor | null): void {
  const unfinished = unfinishedIn(dir);
  if (unfinished !== null) finishInto(placeIn(dir), unfinished, redactor);
  else if (holds(dir, 'cassette.jsonl')) {
    refuseStray(dir);
    // It was killed when the cassette was in its place, and may have left what it had to remove.
    new Blobs(dir).sweep(namedBlobsOf(dir));
  }
  // Otherwise it was killed before the first line was whole: nothing was recorded.
  for (const name of TEMPORARY) if (entryKind(join(dir, name)) === 'file') unlinkSync(join(dir, name));
  unlinkSync(join(dir, 'journal.jsonl'));
}

/** Files that a killed writer may leave, beside blobs. */
const TEMPORARY = ['cassette.jsonl.tmp', 'timing.jsonl.tmp', 'journal.jsonl.tmp'];

/** Throws CassetteError where a journal holds exchanges that would be lost with it. */
function refuseStray(dir: string): void {
  const stray = strayJournal(dir);
  if (stray !== null) throw new CassetteError('conflict', stray);
}

/** Where the cassette of a folder is made. Throws CassetteError when it cannot be written. */
export function placeIn(dir: string) {
  return {
    dir,
    lines: new LineFile(join(dir, 'cassette.jsonl')),
    timing: new LineFile(join(dir, 'timing.jsonl')),
    blobs: new Blobs(dir),
  };
}

/**
 * Puts a finished cassette in the place of an older one, its lock with it: no other process can begin to write in between.
 * Killed halfway, `finishCassette` completes it.
 */
export function installCassette(work: string, dir: string): void {
  const old = replacedDir(dir);
  refuseForeignFiles(dir);
  refuseForeignFiles(old);
  try {
    if (existsSync(dir)) {
      removeReplaced(old, dir);
      if (entryKind(old) !== null)
        throw new CassetteError('not-empty', `${old} is in the way, and is not empty: remove it.`);
      renameSync(dir, old);
    }
    renameSync(work, dir);
    removeReplaced(old, dir);
  } catch (error) {
    if (error instanceof CassetteError) throw error;
    throw new CassetteError('unwritable', `${work} cannot be moved to ${dir}: ${messageOf(error)}.`, error);
  }
}

/** Removes a cassette that was replaced; what other programs put beside it goes on to the new one. */
function removeReplaced(old: string, dir: string): void {
  if (entryKind(old) === null) return;
  for (const name of contentsOf(old).ignored) {
    if (!holds(dir, name)) renameSync(join(old, name), join(dir, name));
  }
  removeCassette(old);
}

/** Where a cassette is made of a journal: in its folder, or in memory. */
export interface FinishPlace {
  /** The folder of the journal, and of the cassette that it continues. */
  readonly dir: string;
  /** Receives the lines of the cassette. */
  readonly lines: LineSink;
  /** Receives the timing lane. */
  readonly timing: LineSink;
  /** Contains the bodies; `sweep` removes those that no line names. */
  readonly blobs: BlobStore & { sweep(named: ReadonlySet<string>): void };
}

/** Makes a cassette of what a journal holds, in the order in which its exchanges began. */
export class Finisher {
  readonly #place: FinishPlace;
  readonly #header: JournalHeader;
  readonly #redactor: Redactor | null;
  readonly #out: LineSink;
  readonly #lane: LineSink;
  readonly #betaHeader: string;
  readonly #named = new Set<string>();
  #exchanges = 0;
  #notes = 0;

  /** `redactor` knows secrets that were learned after they may have been written: they are replaced now. */
  constructor(place: FinishPlace, header: JournalHeader, redactor: Redactor | null) {
    this.#place = place;
    this.#header = redactor?.known.strings(header) ?? header;
    this.#redactor = redactor;
    this.#out = place.lines;
    this.#lane = place.timing;
    this.#betaHeader = this.#orDrop(() => this.#begin());
  }

  /** Writes an exchange or a note. Throws CassetteError when it cannot be written. */
  add(one: JournalItem): void {
    this.#orDrop(() => {
      if ('note' in one) this.#note(one.note);
      else if ('events' in one) this.#exchange(one);
    });
  }

  /** All is added. */
  complete(): void {
    this.#orDrop(() => this.#complete());
  }

  #complete(): void {
    const close: CloseLine = {
      e: 'close',
      exchanges: this.#exchanges,
      notes: this.#notes,
      sha256: this.#out.digest(),
    };
    this.#out.write(close);
    this.#lane.sync();
    this.#out.sync();
    this.#lane.install();
    this.#out.install();
    this.#place.blobs.sweep(this.#named);
  }

  /** Nothing is to come of it. */
  drop(): void {
    this.#out.drop();
    this.#lane.drop();
  }

  #orDrop<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  /** Writes the beginning, which is all of the cassette that the journal continues; gives its beta header. */
  #begin(): string {
    const { continues, e: _, ...header } = this.#header;
    if (continues > 0) return this.#copy();
    const { target } = header;
    const timing: TimingHeader = { e: 'timing', format: FORMAT_VERSION, baseUrl: target.baseUrl };
    this.#lane.write(timing);
    this.#out.write({
      e: 'header',
      ...header,
      target: { ...target, baseUrl: stableBaseUrl(target.baseUrl) },
    });
    return header.betaHeader;
  }

  /** Copies the lines of the cassette that the journal continues. */
  #copy(): string {
    const files = openFinished(this.#place.dir);
    try {
      const { header, exchanges, notes } = scanCassette(files.lines);
      for (const { bytes } of linesOf(files.lines.source)) {
        const line = bytes.toString();
        if (line.startsWith('{"e":"close"')) break;
        this.#out.copy(line);
        const blob = namedBlob(line);
        if (blob !== null) this.#named.add(blob);
      }
      this.#exchanges = exchanges;
      this.#notes = notes;
      this.#copyLane({ e: 'timing', format: FORMAT_VERSION, baseUrl: header.target.baseUrl });
      return header.betaHeader;
    } finally {
      files.close();
    }
  }

  /** Copies the timing lane of the cassette that the journal continues. */
  #copyLane(header: TimingHeader): void {
    const fd = openIfThere(join(this.#place.dir, 'timing.jsonl'));
    if (fd === null) {
      this.#lane.write(header);
      return;
    }
    try {
      for (const { bytes } of linesOf(fd)) this.#lane.copy(bytes.toString());
    } finally {
      closeSync(fd);
    }
  }

  /** Writes a note. */
  #note(note: NoteLine): void {
    this.#notes += 1;
    this.#out.write(this.#redactor?.known.strings(note) ?? note);
  }

  /** Writes an exchange; one without an end line was cut off with the recorder. */
  #exchange({ events, ended }: Extract<JournalItem, { readonly events: unknown }>): void {
    const late = this.#redactor;
    const lines = collectLines(late === null ? events : redactLines(events, late.known, this.#place.blobs));
    if (lines === null) return;
    const end = { ...(lines.end ?? killed(lines)), ended };
    const rendered = renderExchange(lines, end, this.#place.blobs, this.#betaHeader);
    for (const line of rendered.lines) this.#out.write(line);
    for (const blob of rendered.blobs) this.#named.add(blob);
    this.#lane.write(rendered.timing);
    this.#exchanges += 1;
  }
}

/** The base URL without the port of a service on this machine, which another run finds elsewhere. */
export function stableBaseUrl(baseUrl: string): string {
  return baseUrl.replace(/^(https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])):\d+/, '$1');
}

/** The end of an exchange that was cut off with its recorder: at the last sign of life. */
function killed({ request, pieces, responseBody }: ExchangeLines): End {
  const at = pieces.at(-1)?.at ?? responseBody?.pieces.at(-1)?.[1] ?? 0;
  return { i: request.i, e: 'end', ended: 0, how: 'recorder-killed', detail: null, at, trailers: [] };
}

/** End line of an exchange. */
type End = NonNullable<ExchangeLines['end']>;

/** Milliseconds of work at a time, and from one time to the next. */
const SLICE = 2;
/** Milliseconds between two slices of work. */
const PERIOD = 20;

/** An exchange, whose lines are there once it has ended. */
interface Begun {
  /** Null until the exchange has ended. */
  events: readonly JournalEvent[] | null;
}

/** A note or an exchange, in the order in which they began. */
type Entry = { readonly note: JournalNote } | Begun;

/**
 * Writes a cassette while its journal is still written, a little now and then, so that less is left to do at the end. The
 * journal stays what counts: where anything is odd, the cassette is made of it.
 */
export class IncrementalFinisher {
  readonly #finisher: Finisher;
  readonly #unended = new Map<number, Begun>();
  readonly #timer: NodeJS.Timeout;
  /** Entries that are not written yet. */
  #entries: Entry[] = [];
  #isBroken = false;

  /** Throws CassetteError when it cannot be written. */
  constructor(dir: string, header: JournalHeader) {
    this.#finisher = new Finisher(placeIn(dir), header, null);
    this.#timer = setInterval(() => this.#work(performance.now() + SLICE), PERIOD).unref();
  }

  /** Registers exchange `i`; the cassette keeps its place. */
  begun(i: number): void {
    if (this.#isBroken) return;
    const entry: Begun = { events: null };
    this.#unended.set(i, entry);
    this.#entries.push(entry);
  }

  /** Adds a note. */
  noted(note: JournalNote): void {
    if (!this.#isBroken) this.#entries.push({ note });
  }

  /** The exchange that left these lines has ended. */
  ended(events: readonly JournalEvent[]): void {
    const i = events[0]?.i ?? 0;
    const entry = this.#unended.get(i);
    if (entry !== undefined) entry.events = events;
    this.#unended.delete(i);
  }

  /** Completes the cassette; false where that takes the journal. */
  finish(): boolean {
    if (this.#unended.size === 0) this.#work(Number.POSITIVE_INFINITY);
    clearInterval(this.#timer);
    if (this.#unended.size > 0) this.drop();
    if (this.#isBroken) return false;
    this.#finisher.complete();
    return true;
  }

  /** Gives the incremental cassette up and removes its files. */
  drop(): void {
    clearInterval(this.#timer);
    if (!this.#isBroken) this.#finisher.drop();
    this.#isBroken = true;
  }

  /** Writes entries until the deadline (of `performance.now`), or up to the first exchange that has not ended. */
  #work(until: number): void {
    try {
      let done = 0;
      while (!this.#isBroken && performance.now() < until) {
        const entry = this.#entries[done];
        if (entry === undefined || ('events' in entry && entry.events === null)) break;
        this.#add(entry);
        done += 1;
      }
      if (done > 0) this.#entries = this.#entries.slice(done);
    } catch {
      // The cassette is then made from the journal, where the same error is reported.
      this.#isBroken = true;
      this.#entries = [];
      this.#unended.clear();
      clearInterval(this.#timer);
    }
  }

  /** Writes an entry that is complete. */
  #add(entry: Entry): void {
    if ('note' in entry) this.#finisher.add(entry);
    else if (entry.events !== null) {
      const end = entry.events.at(-1);
      this.#finisher.add({ events: entry.events, ended: end?.e === 'end' ? end.ended : 0 });
    }
  }
}

/** A journal larger than this is not read into memory. Bytes. */
const MOST_IN_MEMORY = 1024 * 1024 * 1024;

/** The content of a journal that is not in a cassette yet: empty where its first line is torn, or it was taken over already. */
export interface Unfinished {
  /** First line of the journal. */
  readonly header: JournalHeader;
  readonly item: Generator<JournalItem>;
}

/**
 * Reads the beginning of the journal of a folder. Null where nothing is to be made of it: its first line is torn, or it does not continue the finished
 * cassette beside it, which it never hides. Throws CassetteError.
 */
export function unfinishedIn(dir: string): Unfinished | null {
  const item = readJournal(join(dir, 'journal.jsonl'));
  const first = item.next().value;
  if (first === undefined || !('header' in first)) return null;
  const { header } = first;
  if ((exchangesIn(dir) ?? header.continues) !== header.continues) {
    item.return(undefined);
    return null;
  }
  return { header, item };
}

/**
 * Why the journal of a folder is not read although it is there: it does not continue the finished cassette beside it, and has exchanges that
 * are not in that cassette. Null where it was taken over by the cassette, or holds nothing. Throws CassetteError.
 */
export function strayJournal(dir: string): string | null {
  const file = join(dir, 'journal.jsonl');
  let begun = 0;
  let continues = 0;
  for (const item of readJournal(file)) {
    if ('header' in item) continues = item.header.continues;
    else if ('events' in item) begun += 1;
  }
  if (begun === 0 || continues + begun === exchangesIn(dir)) return null;
  return `${file} does not continue the finished cassette beside it, and is not read. Remove it, or move it to an empty folder and finish it there: npx assay recover DIR`;
}

/**
 * Adds all that a journal holds to a cassette in the making, and completes it. `redactor` knows secrets that were learned
 * late: they are replaced.
 */
export function finishInto(
  place: FinishPlace,
  { header, item: items }: Unfinished,
  redactor: Redactor | null,
): void {
  try {
    const finisher = new Finisher(place, header, redactor);
    for (const item of items) finisher.add(item);
    finisher.complete();
  } catch (error) {
    throw asDamage(error);
  }
}

/** Lines of a journal are not validated one by one: fields that are missing, or of another type or size, are met here. */
function asDamage(error: unknown): unknown {
  const isOfContent =
    error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  if (!isOfContent) return error;
  return new CassetteError(
    'malformed',
    `The journal of the recording is damaged: ${error.message}. Restore it from a copy, or record again.`,
    error,
  );
}

/** Number of exchanges in the cassette of a folder; null without a cassette. */
function exchangesIn(dir: string): number | null {
  if (entryKind(join(dir, 'cassette.jsonl')) === null) return null;
  const files = openFinished(dir);
  try {
    return scanCassette(files.lines).exchanges;
  } finally {
    files.close();
  }
}

/**
 * Opens the cassette of a folder for reading. One that was left unfinished is made in memory: nothing on the disk is created,
 * changed or locked. Throws CassetteError where the cassette is missing, or its files are not regular ones.
 */
export function openFiles(dir: string): OpenFiles {
  const holds = (folder: string, name: string) => entryKind(join(folder, name)) !== null;
  if (holds(dir, 'journal.jsonl')) {
    const unfinished = openUnfinished(dir);
    if (unfinished !== null) return unfinished;
    if (holds(dir, 'cassette.jsonl')) reportStray(dir);
    return openFinished(dir);
  }
  const beside = recordingDir(dir);
  if (holds(dir, 'cassette.jsonl') || entryKind(beside) !== 'folder') return openFinished(dir);
  // Never half of a replacement; but what was left of a first recording is the cassette.
  const first = holds(beside, 'journal.jsonl') ? openUnfinished(beside) : null;
  if (first !== null) return first;
  return openFinished(holds(beside, 'cassette.jsonl') ? beside : dir);
}

/** Warns about a journal that is not read. A damaged one says why in the warning. */
function reportStray(dir: string): void {
  const why = (() => {
    try {
      return strayJournal(dir);
    } catch (error) {
      if (error instanceof CassetteError) return `${error.message} The finished cassette is read.`;
      throw error;
    }
  })();
  if (why !== null) process.emitWarning(why, 'CassetteWarning');
}

/** Opens an unfinished recording read-only; null when it has no journal. */
function openUnfinished(dir: string): OpenFiles | null {
  const journal = join(dir, 'journal.jsonl');
  if ((lstatSync(journal, { throwIfNoEntry: false })?.size ?? 0) > MOST_IN_MEMORY)
    throw new CassetteError(
      'unfinished',
      `${journal} is of an unfinished recording, and too large to be read in memory. Finish it: npx assay recover ${dir}`,
    );
  const unfinished = unfinishedIn(dir);
  if (unfinished === null) return null;
  const [lines, timing] = [new LinesInMemory(), new LinesInMemory()];
  const blobs = new BlobsInMemory(new Blobs(dir));
  finishInto({ dir, lines, timing, blobs }, unfinished, recoveredSecrets(dir, blobs));
  return {
    lines: { file: join(dir, 'cassette.jsonl'), source: lines.bytes() },
    timing: { file: join(dir, 'timing.jsonl'), source: timing.bytes() },
    blobs,
    close: () => {},
  };
}

/** The files of a cassette, open for reading: on the disk, or in memory where they were made of a journal. */
export interface OpenFiles {
  /** The lines of the cassette. */
  readonly lines: Lines;
  /** Null without a timing lane. */
  readonly timing: Lines | null;
  /** Bodies beside the lines. */
  readonly blobs: BlobStore;
  close(): void;
}

/** Opens the cassette of a folder. Throws CassetteError where the cassette is missing, or its files are not regular ones. */
export function openFinished(dir: string): OpenFiles {
  const [file, lane] = [join(dir, 'cassette.jsonl'), join(dir, 'timing.jsonl')];
  const fd = openIfThere(file);
  if (fd === null) throw missingCassette(dir);
  try {
    const timing = openIfThere(lane);
    return {
      lines: { file, source: fd },
      timing: timing === null ? null : { file: lane, source: timing },
      blobs: new Blobs(dir),
      close: () => {
        closeSync(fd);
        if (timing !== null) closeSync(timing);
      },
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
