import { existsSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type BlobStore, Blobs } from './blobs.ts';
import { CassetteError } from './cassette-error.ts';
import { entryKind, isFolder } from './entries.ts';
import { collectLines, type ExchangeLines } from './exchange-lines.ts';
import { countExchangesIn, openFinished } from './finished-files.ts';
import {
  containsFile,
  FolderContents,
  holdsRecording,
  recordingDir,
  refuseDisguised,
  refuseForeignFiles,
  removeCassette,
  replacedDir,
} from './folder.ts';
import { type JournalItem, readJournal } from './journal-reader.ts';
import { redactLines } from './late-secrets.ts';
import { linesOf } from './line-reader.ts';
import { LineFile, type LineSink } from './line-sink.ts';
import { type CloseLine, FORMAT_VERSION, type JournalHeader, type TimingHeader } from './lines.ts';
import { lockCassette } from './lock.ts';
import { type NamedBlob, parseNamedBlob, readNamedBlobs } from './named-blobs.ts';
import { recoverSecrets } from './recovered-secrets.ts';
import { renderExchange } from './render-exchange.ts';
import { type CassetteFile, type CassetteIndex, scanCassette } from './scan.ts';

const TEMPORARY_FILES = ['cassette.jsonl.tmp', 'timing.jsonl.tmp', 'journal.jsonl.tmp'];

/**
 * Finishes the recording next to `dir`, which then replaces the cassette in `dir`; if there is none, the recording in
 * `dir` itself, if any. Throws CassetteError if the recording is in use, damaged, or cannot be written.
 */
export function finishCassette(dir: string): void {
  const recording = recordingDir(dir);
  if (containsRecording(recording)) lockAndFinish(recording, dir);
  else recoverInPlace(dir);
}

/**
 * Finishes the additions or the first recording of a killed recorder, but never a partial replacement. Returns whether
 * there was anything to finish. Throws like `finishCassette`.
 */
export function recoverCassette(dir: string): boolean {
  const isRecovered = recoverInPlace(dir);
  const recording = recordingDir(dir);
  if (containsFile(dir, 'cassette.jsonl') || !containsRecording(recording)) return isRecovered;
  lockAndFinish(recording, dir);
  return true;
}

export function recoverInPlace(dir: string): boolean {
  const hasJournal = containsFile(dir, 'journal.jsonl');
  if (hasJournal) lockAndFinish(dir, dir);
  return hasJournal;
}

function containsRecording(dir: string): boolean {
  return isFolder(dir) && holdsRecording(dir);
}

function lockAndFinish(work: string, dir: string): void {
  if (work === dir) refuseDisguised(dir);
  else refuseForeignFiles(work);
  const unlock = lockCassette(work);
  try {
    recoverIn(work);
    if (work !== dir && containsFile(work, 'cassette.jsonl')) installCassette(work, dir);
  } finally {
    unlock(existsSync(work) ? work : dir);
  }
}

export function recoverIn(dir: string): void {
  if (containsFile(dir, 'journal.jsonl')) finishIn(dir, recoverSecrets(dir, new Blobs(dir)));
}

/**
 * Turns a folder's journal into its cassette; the caller must hold the lock. Safe to repeat after a kill at any point.
 */
export function finishIn(dir: string, redactor: Redactor | null): void {
  const unfinished = unfinishedIn(dir);
  if (unfinished !== null) finishInto(openFinishPlace(dir), unfinished, redactor);
  else if (containsFile(dir, 'cassette.jsonl')) {
    // The journal may hold exchanges that would be lost with it.
    const reason = explainIgnoredJournal(dir);
    if (reason !== null) throw new CassetteError('conflict', reason);
    // The writer was killed after the cassette was in place, perhaps before it had cleaned up.
    new Blobs(dir).sweep(readNamedBlobs(dir));
  }
  // Without a cassette, the writer was killed before the first line was complete, so nothing was recorded.
  for (const name of TEMPORARY_FILES) if (entryKind(join(dir, name)) === 'file') unlinkSync(join(dir, name));
  unlinkSync(join(dir, 'journal.jsonl'));
}

export function openFinishPlace(dir: string) {
  return {
    dir,
    lines: new LineFile(join(dir, 'cassette.jsonl')),
    timing: new LineFile(join(dir, 'timing.jsonl')),
    blobs: new Blobs(dir),
  };
}

/**
 * Moves a finished cassette, with its lock, to the place of an older one: no other process can begin to write in
 * between. After a kill halfway, `finishCassette` completes the move.
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

/** Files of other programs, such as `.gitkeep`, are moved to the new cassette. */
function removeReplaced(old: string, dir: string): void {
  if (entryKind(old) === null) return;
  for (const name of new FolderContents(old).ignored)
    if (!containsFile(dir, name)) renameSync(join(old, name), join(dir, name));
  removeCassette(old);
}

interface FinishPlace {
  readonly dir: string;
  readonly lines: LineSink;
  readonly timing: LineSink;
  readonly blobs: BlobStore;
}

export class CassetteOutput {
  readonly #place: FinishPlace;
  readonly #blobNames = new Set<string>();
  #exchanges = 0;
  #notes = 0;

  constructor(place: FinishPlace) {
    this.#place = place;
  }

  /** Calls `store` for a blob that no earlier line names. Throws CassetteError if a write fails. */
  writeLine(line: object | string, store: (blob: NamedBlob) => void = () => {}): void {
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    this.#place.lines.write(text);
    if (text.startsWith('{"e":"request"')) this.#exchanges += 1;
    else if (text.startsWith('{"e":"note"')) this.#notes += 1;
    const blob = parseNamedBlob(text);
    if (blob === null || this.#blobNames.has(blob.sha256)) return;
    this.#blobNames.add(blob.sha256);
    store(blob);
  }

  complete(withTiming = true): void {
    const { lines, timing, blobs } = this.#place;
    const counts = { exchanges: this.#exchanges, notes: this.#notes };
    lines.write({ e: 'close', ...counts, sha256: lines.digest() } satisfies CloseLine);
    if (!withTiming) timing.drop();
    const files = withTiming ? [timing, lines] : [lines];
    for (const file of files) file.sync();
    for (const file of files) file.install();
    blobs.sweep(this.#blobNames);
  }

  /** Removes the temporary files of the lines and timings. */
  drop(): void {
    this.#place.lines.drop();
    this.#place.timing.drop();
  }
}

function beginCassette({ dir, timing }: FinishPlace, output: CassetteOutput, journal: JournalHeader): string {
  const { continues, e: _, ...header } = journal;
  if (continues > 0) return copyFinished(dir, timing, output);
  const { target } = header;
  timing.write(makeTimingHeader(target.baseUrl));
  const stable = { ...target, baseUrl: stableBaseUrl(target.baseUrl) };
  output.writeLine({ e: 'header', ...header, target: stable });
  return header.betaHeader;
}

export function makeTimingHeader(baseUrl: string): TimingHeader {
  return { e: 'timing', format: FORMAT_VERSION, baseUrl };
}

function copyFinished(dir: string, timing: LineSink, output: CassetteOutput): string {
  const files = openFinished(dir);
  try {
    const index = scanCassette(files.lines);
    for (const { bytes } of linesOf(files.lines.source)) {
      const line = bytes.toString();
      if (!line.startsWith('{"e":"close"')) output.writeLine(line);
    }
    copyTiming(files.timing, index, timing);
    return index.header.betaHeader;
  } finally {
    files.close();
  }
}

function copyTiming(file: CassetteFile | null, { header, exchanges }: CassetteIndex, timing: LineSink): void {
  if (file === null) {
    // The user may have deleted the file, but once exchanges are added, those before them need lines, too.
    timing.write(makeTimingHeader(header.target.baseUrl));
    for (let i = 1; i <= exchanges; i += 1) timing.write({ i, began: 0, end: 0 });
    return;
  }
  let lineCount = 0;
  for (const { bytes } of linesOf(file.source)) {
    // A writer that was killed after it installed this file left times of exchanges that only the journal has.
    if (lineCount > exchanges) return;
    timing.write(bytes.toString());
    lineCount += 1;
  }
}

/** The base URL without the port of a service on this machine, which differs from run to run. */
export function stableBaseUrl(baseUrl: string): string {
  return baseUrl.replace(/^(https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])):\d+/, '$1');
}

function killedEnd({ request, last: at }: ExchangeLines): NonNullable<ExchangeLines['end']> {
  return { i: request.i, e: 'end', ended: 0, how: 'recorder-killed', detail: null, at, trailers: [] };
}

interface Unfinished {
  readonly header: JournalHeader;
  readonly items: Generator<JournalItem>;
}

/**
 * The unfinished recording of a folder; null if the first line is torn, or the journal does not continue the finished
 * cassette next to it: a journal never hides a cassette. Throws CassetteError.
 */
export function unfinishedIn(dir: string): Unfinished | null {
  const journal = join(dir, 'journal.jsonl');
  const [first] = readJournal(journal);
  if (first === undefined || !('header' in first)) return null;
  const { header } = first;
  if ((countExchangesIn(dir) ?? header.continues) !== header.continues) return null;
  return { header, items: readJournal(journal) };
}

/**
 * Returns why the journal of a folder is ignored: it does not continue the finished cassette next to it, and holds
 * exchanges that the cassette lacks. Null if the cassette lacks none. Throws CassetteError.
 */
export function explainIgnoredJournal(dir: string): string | null {
  const file = join(dir, 'journal.jsonl');
  let exchangeCount = 0;
  let continues = 0;
  for (const item of readJournal(file)) {
    if ('header' in item) continues = item.header.continues;
    else if ('events' in item) {
      exchangeCount += 1;
      // Reading the lines reveals damage.
      for (const _ of item.events);
    }
  }
  if (exchangeCount === 0 || continues + exchangeCount === countExchangesIn(dir)) return null;
  return `${file} does not continue the finished cassette next to it, so it is not read. Remove it, or move it to an empty folder and finish it there: npx assay recover DIR`;
}

/**
 * Exchanges are written in the order in which they began. After an error, the temporary files of the lines and timings
 * are removed. `redactor` replaces secrets that may have been written before they were learned. Throws CassetteError.
 */
export function finishInto(
  place: FinishPlace,
  { header, items }: Unfinished,
  redactor: Redactor | null,
): void {
  const { timing, blobs } = place;
  const lateSecrets = redactor?.known ?? null;
  const output = new CassetteOutput(place);
  try {
    const betaHeader = beginCassette(place, output, lateSecrets?.redactStrings(header) ?? header);
    for (const item of items) {
      if ('note' in item) output.writeLine(lateSecrets?.redactStrings(item.note) ?? item.note);
      if (!('events' in item)) continue;
      const events = lateSecrets === null ? item.events : redactLines(item.events, lateSecrets, blobs);
      const exchange = collectLines(events, blobs);
      if (exchange === null) continue;
      const end = { ...(exchange.end ?? killedEnd(exchange)), ended: item.ended };
      const rendered = renderExchange(exchange, end, blobs, betaHeader);
      for (const line of rendered.lines) output.writeLine(line, ({ sha256 }) => blobs.sync(sha256));
      timing.write(rendered.timing);
    }
    output.complete();
  } catch (error) {
    output.drop();
    throw toDamageError(error);
  }
}

function toDamageError(error: unknown): unknown {
  const isContentError =
    error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  if (!isContentError) return error;
  return new CassetteError(
    'malformed',
    `The journal of the recording is damaged: ${error.message}. Restore it from a copy, or record again.`,
    error,
  );
}
