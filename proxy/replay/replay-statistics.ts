import type { StaleRecordings } from './age.ts';
import { recordCommand } from './record-command.ts';
import type { Recordings } from './recordings.ts';
import type { ReplayMiss } from './replay-miss.ts';

export interface ReplayReport {
  /** Number of recordings in the cassettes. */
  readonly exchanges: number;
  /** Number of requests that matched a recording, or are counted in `unreadable`. */
  readonly answered: number;
  /** Distinct requests that no recording answered, at most 10,000. */
  readonly misses: readonly ReplayMiss[];
  /** The first hundred recordings that no request has used. */
  readonly unusedRecordings: readonly UnusedRecording[];
  /** Number of all unused recordings. */
  readonly leftoverCount: number;
  /** The command that records the cassette of the first unused recording again; null if all are used. */
  readonly again: string | null;
  /** Number of requests for which a recording could not be read or was changed. */
  readonly unreadable: number;
  /** Recordings older than `maxAge` or of unknown age; null for none. */
  readonly stale: StaleRecordings | null;
  /** Whether there was a miss, an unreadable or a stale recording, or, under `strict`, an unused one. */
  readonly failed: boolean;
}

export interface UnusedRecording {
  readonly cassette: string;
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
}

/** Maximum number of misses that are kept, so that a looping client does not fill the memory. */
const MAX_MISSES = 10_000;
const MAX_LISTED = 100;

export class ReplayStatistics {
  answered = 0;
  unreadable = 0;
  stale: StaleRecordings | null = null;
  readonly #misses = new Map<string, ReplayMiss>();
  readonly #recordings: Recordings;
  readonly #strict: boolean;
  readonly #client: string | undefined;

  constructor(
    recordings: Recordings,
    options: { readonly strict?: boolean | undefined; readonly client?: string },
  ) {
    this.#recordings = recordings;
    this.#strict = options.strict ?? Boolean(process.env['CI']);
    this.#client = options.client;
  }

  /** Adds a miss. Returns false if one with this key was added before, or the limit of 10,000 is reached. */
  addMiss(key: string, miss: ReplayMiss): boolean {
    if (this.#misses.has(key) || this.#misses.size >= MAX_MISSES) return false;
    this.#misses.set(key, miss);
    return true;
  }

  report(): ReplayReport {
    const unusedRecordings: UnusedRecording[] = [];
    let leftoverCount = 0;
    let again: string | null = null;
    for (const { cassette, k } of this.#recordings.leftovers()) {
      again ??= recordCommand(cassette, 'record', this.#client);
      leftoverCount += 1;
      if (unusedRecordings.length >= MAX_LISTED) continue;
      const { method, target } = cassette.request(k);
      unusedRecordings.push({ cassette: cassette.dir, exchange: `e${k + 1}`, method, target });
    }
    const misses = [...this.#misses.values()];
    const { answered, unreadable, stale } = this;
    const failed = misses.length + unreadable > 0 || stale !== null || (this.#strict && leftoverCount > 0);
    return {
      exchanges: this.#recordings.size,
      answered,
      unreadable,
      stale,
      misses,
      unusedRecordings,
      leftoverCount,
      again,
      failed,
    };
  }
}
