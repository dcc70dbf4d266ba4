import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Redactor } from '../../redaction/redactor.ts';
import {
  type CloseLine,
  FORMAT_VERSION,
  type JournalHeader,
  type NoteLine,
  type TimingHeader,
} from '../format/lines.ts';
import { renderExchange } from '../format/render-exchange.ts';
import { scanCassette } from '../read/cassette-index.ts';
import { linesOf } from '../read/file-lines.ts';
import { openFinished } from '../read/opened.ts';
import type { BlobStore } from '../write/blob-store.ts';
import { openIfThere } from '../write/entry.ts';
import type { LineSink } from '../write/line-file.ts';
import { collectLines, type ExchangeLines } from './assemble-exchange.ts';
import { redactLines } from './late-redaction.ts';
import { namedBlob } from './named-blobs.ts';
import type { JournalItem } from './read-journal.ts';

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
