import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { TraceHeader, TraceItem } from '../trace.ts';
import { assemble } from './assemble.ts';
import { Blobs } from './blobs.ts';
import { openRegular } from './entry.ts';
import type { JournalEvent, JournalHeader, JournalNote, JournalSecret } from './format.ts';
import { readLines, readSpan } from './lines.ts';
import { recordingDir } from './places.ts';

const CHUNK = 256 * 1024;
const LF = 10;

/**
 * Reads the journal of a cassette that is being recorded in place of another, while it grows: its exchanges and notes as
 * the finished cassette will tell them, in the order in which they ended. What is not read yet waits on the disk.
 */
export class JournalFollower {
  readonly header: TraceHeader;
  readonly #fd: number;
  readonly #blobs: Pick<Blobs, 'read'>;
  readonly #unended = new Map<number, JournalEvent[]>();
  /** Of the first byte that has not been read as part of a whole line. */
  #offset: number;

  /** Throws where `dir` is not being recorded. */
  constructor(dir: string) {
    this.#blobs = blobsOf(dir);
    const file = join(recordingDir(dir), 'journal.jsonl');
    const first = firstLine(file);
    this.#offset = first.length + 1;
    // as: the first line of every journal is written by us, before anything else happens
    const { e: _, continues: __, ...header } = JSON.parse(first.toString()) as JournalHeader;
    this.header = header;
    this.#fd = openRegular(file);
  }

  /** Whether what was read is all that the cassette will hold: what began has ended. */
  get isWhole(): boolean {
    return this.#unended.size === 0;
  }

  /** What has ended since it was read last. */
  *read(): Generator<TraceItem> {
    for (let size = CHUNK; ; ) {
      const bytes = readSpan(this.#fd, this.#offset, size);
      const end = bytes.lastIndexOf(LF) + 1;
      if (end === 0 && bytes.length < size) return;
      size = end === 0 ? size * 2 : CHUNK;
      this.#offset += end;
      for (let from = 0; from < end; ) {
        const to = bytes.indexOf(LF, from);
        // as: lines behind the first are written by us
        yield* this.#line(JSON.parse(bytes.toString('utf8', from, to)) as FollowedLine);
        from = to + 1;
      }
    }
  }

  *#line(line: FollowedLine): Generator<TraceItem> {
    if (line.e === 'secret') return;
    if (line.e === 'note') {
      const { e: _, ...note } = line;
      yield note;
    } else if (line.e === 'request') {
      this.#unended.set(line.i, [line]);
    } else {
      const lines = this.#unended.get(line.i);
      lines?.push(line);
      if (line.e !== 'end' || lines === undefined) return;
      this.#unended.delete(line.i);
      const exchange = assemble(lines, this.#blobs);
      if (exchange !== null) yield exchange;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

type FollowedLine = JournalNote | JournalSecret | JournalEvent;

function firstLine(file: string): Buffer {
  for (const { bytes, whole } of readLines(file)) if (whole) return Buffer.from(bytes);
  throw new Error(`${file} has no whole line.`);
}

/** Finishing moves the folder; bodies are asked for before and after. */
function blobsOf(dir: string): Pick<Blobs, 'read'> {
  const [recording, finished] = [new Blobs(recordingDir(dir)), new Blobs(dir)];
  return {
    read(sha256, size) {
      try {
        return recording.read(sha256, size);
      } catch {
        return finished.read(sha256, size);
      }
    },
  };
}
