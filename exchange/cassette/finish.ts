import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Redactor } from '../redact.ts';
import { type Gathered, gather } from './assemble.ts';
import { Blobs } from './blobs.ts';
import { render } from './canonical-form.ts';
import { because, CassetteError } from './error.ts';
import { type CloseLine, FORMAT, type JournalHeader, type NoteLine, type TimingHeader } from './format.ts';
import { readJournal, type Told } from './gather.ts';
import { rewrite } from './late.ts';
import { LineFile } from './line-file.ts';
import { readLines } from './lines.ts';
import { lock } from './lock.ts';
import { scan } from './scan.ts';

export interface FinishOptions {
  /** Knows secrets that were learned after they may have been written: they are replaced now. */
  readonly redactor?: Redactor | null;
}

/** Where a cassette is recorded that is to replace another. */
export function recordingDir(dir: string): string {
  return `${dir}.recording`;
}

/** Where a recording stays that failed and is not to replace the cassette that is there. */
export function failedDir(dir: string): string {
  return `${dir}.failed`;
}

/**
 * Makes the cassette of what was recorded and left unfinished in `dir`, or beside it to replace it. Does nothing where
 * there is nothing to do. Throws CassetteError when it is in use, damaged, or cannot be written.
 */
export function finishCassette(dir: string, options: FinishOptions = {}): void {
  const { redactor = null } = options;
  const beside = recordingDir(dir);
  if (holdsAny(beside)) finishBeside(beside, dir, redactor);
  else if (existsSync(join(dir, 'journal.jsonl'))) finishInPlace(dir, redactor);
}

/** Makes a cassette of what a killed recorder left: of its additions, or of the first recording, never of half a replacement. */
export function recover(dir: string): void {
  if (existsSync(join(dir, 'journal.jsonl'))) finishInPlace(dir, null);
  const beside = recordingDir(dir);
  if (existsSync(join(dir, 'cassette.jsonl')) || !holdsAny(beside)) return;
  finishBeside(beside, dir, null);
}

function holdsAny(dir: string): boolean {
  return ['journal.jsonl', 'cassette.jsonl'].some((name) => existsSync(join(dir, name)));
}

function finishInPlace(dir: string, redactor: Redactor | null): void {
  const unlock = lock(dir);
  try {
    finishIn(dir, redactor);
  } finally {
    unlock();
  }
}

function finishBeside(beside: string, dir: string, redactor: Redactor | null): void {
  const unlock = lock(beside);
  try {
    recoverIn(beside, redactor);
    if (existsSync(join(beside, 'cassette.jsonl'))) install(beside, dir);
  } finally {
    unlock(existsSync(beside) ? beside : dir);
  }
}

/** As `finishIn`, where a journal was left behind. */
export function recoverIn(dir: string, redactor: Redactor | null = null): void {
  if (existsSync(join(dir, 'journal.jsonl'))) finishIn(dir, redactor);
}

/** Turns the journal of a folder into its cassette. The caller holds the lock. Killed at any point, it can be done again. */
export function finishIn(dir: string, redactor: Redactor | null): void {
  const journal = join(dir, 'journal.jsonl');
  const told = readJournal(journal);
  const first = told.next().value;
  if (first === undefined || !('header' in first)) {
    // Killed before the first line was whole: nothing was recorded.
    rmSync(journal);
    return;
  }
  const { continues } = first.header;
  const merged = existsSync(join(dir, 'cassette.jsonl')) && scan(dir).exchanges !== continues;
  if (!merged || continues === 0) {
    const finisher = new Finisher(dir, first.header, redactor);
    for (const one of told) finisher.add(one);
    finisher.complete();
  }
  rmSync(journal);
}

/** Writes a cassette beside a journal, in the order in which its exchanges began. */
export class Finisher {
  readonly #dir: string;
  readonly #header: JournalHeader;
  readonly #redactor: Redactor | null;
  readonly #out: LineFile;
  readonly #lane: LineFile;
  readonly #blobs: Blobs;
  readonly #betaHeader: string;
  readonly #named = new Set<string>();
  #exchanges = 0;
  #notes = 0;

  constructor(dir: string, header: JournalHeader, redactor: Redactor | null) {
    this.#dir = dir;
    this.#header = header;
    this.#redactor = redactor;
    this.#blobs = new Blobs(dir);
    this.#out = new LineFile(join(dir, 'cassette.jsonl'));
    this.#lane = new LineFile(join(dir, 'timing.jsonl'));
    this.#betaHeader = this.#orDrop(() => this.#begin());
  }

  add(one: Told): void {
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
    this.#blobs.sweep(this.#named);
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
    const timing: TimingHeader = { e: 'timing', format: FORMAT, baseUrl: target.baseUrl };
    this.#lane.write(timing);
    this.#out.write({ e: 'header', ...header, target: { ...target, baseUrl: steady(target.baseUrl) } });
    return header.betaHeader;
  }

  #copy(): string {
    const file = join(this.#dir, 'cassette.jsonl');
    const { header, exchanges, notes } = scan(this.#dir);
    for (const { bytes } of readLines(file)) {
      const line = bytes.toString();
      if (line.startsWith('{"e":"close"')) break;
      this.#out.copy(line);
      const [, blob] = BLOB.exec(line) ?? [];
      if (blob !== undefined) this.#named.add(blob);
    }
    this.#exchanges = exchanges;
    this.#notes = notes;
    const lane = join(this.#dir, 'timing.jsonl');
    const timing: TimingHeader = { e: 'timing', format: FORMAT, baseUrl: header.target.baseUrl };
    if (existsSync(lane)) for (const { bytes } of readLines(lane)) this.#lane.copy(bytes.toString());
    else this.#lane.write(timing);
    return header.betaHeader;
  }

  #note(note: NoteLine): void {
    this.#notes += 1;
    this.#out.write(note);
  }

  #exchange({ events, ended }: Extract<Told, { readonly events: unknown }>): void {
    const late = this.#redactor;
    const gathered = gather(late === null ? events : rewrite(events, late, this.#blobs));
    if (gathered === null) return;
    const end = { ...(gathered.end ?? killed(gathered)), ended };
    const rendered = render(gathered, end, this.#blobs, this.#betaHeader);
    for (const line of rendered.lines) this.#out.write(line);
    for (const blob of rendered.blobs) this.#named.add(blob);
    this.#lane.write(rendered.timing);
    this.#exchanges += 1;
  }
}

/** The base URL without the port of a service on this machine, which another run finds elsewhere. */
export function steady(baseUrl: string): string {
  return baseUrl.replace(/^(https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])):\d+/, '$1');
}

const BLOB = /^\{"e":"body",.*"sha256":"([0-9a-f]{64})","blob":true\}$/;

/** The end of an exchange that was cut off with its recorder: at the last sign of life. */
function killed({ request, pieces, responseBody }: Gathered): End {
  const at = pieces.at(-1)?.at ?? responseBody?.pieces.at(-1)?.[1] ?? 0;
  return { i: request.i, e: 'end', ended: 0, how: 'recorder-killed', detail: null, at, trailers: [] };
}

type End = NonNullable<Gathered['end']>;

/**
 * Puts a finished cassette in the place of an older one, its lock with it: nobody can begin to write in between. Killed
 * halfway, `finishCassette` completes it.
 */
export function install(work: string, dir: string): void {
  // Nobody else calls a folder of his own so, as may be with `….old`.
  const old = `${recordingDir(dir)}.old`;
  try {
    rmSync(old, { recursive: true, force: true });
    if (existsSync(dir)) renameSync(dir, old);
    renameSync(work, dir);
    rmSync(old, { recursive: true, force: true });
  } catch (error) {
    throw new CassetteError('unwritable', `${work} cannot be moved to ${dir}: ${because(error)}.`, error);
  }
}
