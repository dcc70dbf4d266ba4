// Reads a HAR file without a cassette on the disk, for files that are only judged. Its secrets are replaced all the same.
import { Blobs } from '../cassette/write/blobs.ts';
import { MAX_KEPT_REQUEST_BYTES } from '../cassette/write/cassette-writer.ts';
import { OpenRecordings } from '../cassette/write/open-recordings.ts';
import { Recording, type RequestHead } from '../cassette/write/recording.ts';
import type { RecordingHost } from '../cassette/write/recording-host.ts';
import type { Exchange } from '../exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { TraceHeader } from '../trace.ts';
import { type ImportOptions, openHar, order } from './read.ts';

/** The exchanges of a HAR file. */
export interface HarExchanges {
  readonly header: TraceHeader;
  /** In the order in which they ended. */
  readonly exchanges: readonly Exchange[];
  /** When the first began, in milliseconds since 1970; 0 where the file does not say it. */
  readonly began: number;
  /** Entries of other hosts, and of no use. */
  readonly skipped: number;
}

/**
 * The exchanges of a HAR file of another program; null for a file that assay exported, which `importHar` reads. Throws
 * HarError.
 */
export async function readHarExchanges(
  file: string,
  options: Pick<ImportOptions, 'baseUrl' | 'header'> & { readonly redactor: Redactor },
): Promise<HarExchanges | null> {
  const { ours, header, entries, skipped } = await openHar(file, options);
  if (ours !== undefined) return null;
  const { redactor } = options;
  // Known before anything is stored, as nothing is searched afterwards.
  for (const { head } of entries) {
    redactor.headers(head.headers);
    redactor.target(head.target);
  }
  const memory = new MemoryWriter(redactor);
  const exchanges: Exchange[] = [];
  for (const { begins, exchange } of order(entries)) {
    if (begins) exchange.begin(memory);
    else {
      const stored = await exchange.end();
      if (stored !== null) exchanges.push(stored);
    }
  }
  const began = entries.reduce((first, { beginsAt }) => Math.min(first, beginsAt), Number.POSITIVE_INFINITY);
  return { header, exchanges, began: Number.isFinite(began) ? began : 0, skipped };
}

/** Numbers recordings and keeps nothing: each gives its exchange when it ends. */
class MemoryWriter {
  readonly #host: RecordingHost;
  #began = 0;
  #ended = 0;

  constructor(redactor: Redactor) {
    this.#host = {
      redactor,
      collect: true,
      // Then bodies of any size stay in memory, and no blob is begun.
      isKept: false,
      blobs: new Blobs(''),
      keepRequests: MAX_KEPT_REQUEST_BYTES,
      onLines: null,
      open: new OpenRecordings(),
      write: () => {},
      search: () => {},
      whole: () => {},
      remark: () => {},
      ended: () => {
        this.#ended += 1;
        return this.#ended;
      },
      commit: () => Promise.resolve(null),
      track: () => {},
    };
  }

  begin(head: RequestHead): Recording {
    this.#began += 1;
    return new Recording(this.#began, head.after ?? this.#ended, head, this.#host);
  }
}
