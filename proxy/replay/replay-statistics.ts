import type { Recordings } from './match.ts';
import type { ReplayMiss } from './replay-miss.ts';

/** The requests that a replayer received, and how it answered them. */
export interface ReplayReport {
  /** Number of recordings in the cassettes. */
  readonly exchanges: number;
  /** Number of requests that a recording answered. */
  readonly answered: number;
  /** Requests that no recording answers; a request that a client retries counts once. */
  readonly misses: readonly ReplayMiss[];
  /** Recordings that no request has used; the first hundred. */
  readonly unusedRecordings: readonly UnusedRecording[];
  /** Number of all unused recordings. */
  readonly leftoverCount: number;
  /** True after a miss, and under `strict` when recordings are unused. */
  readonly failed: boolean;
}

/** A recording that no request has used. */
export interface UnusedRecording {
  /** Folder. */
  readonly cassette: string;
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
}

/** Unused recordings that a report names. */
const LISTED = 100;

/** Counts the requests of one replay. */
export class ReplayStatistics {
  /** Requests that a recording answered. */
  answered = 0;
  /** By the key of the request. */
  readonly #misses = new Map<string, ReplayMiss>();
  readonly #recordings: Recordings;
  readonly #strict: boolean;

  /** `strict`: whether unused recordings are a failure; by default where the environment variable `CI` is set. */
  constructor(recordings: Recordings, strict = Boolean(process.env['CI'])) {
    this.#recordings = recordings;
    this.#strict = strict;
  }

  /** Adds a miss; false where the same request was missed before. `key`: of the request. */
  miss(key: string, miss: ReplayMiss): boolean {
    if (this.#misses.has(key)) return false;
    this.#misses.set(key, miss);
    return true;
  }

  /** The counts so far. */
  report(): ReplayReport {
    const unusedRecordings: UnusedRecording[] = [];
    let leftoverCount = 0;
    for (const { cassette, k } of this.#recordings.leftovers()) {
      leftoverCount += 1;
      if (unusedRecordings.length >= LISTED) continue;
      const { method, target } = cassette.request(k);
      unusedRecordings.push({ cassette: cassette.dir, exchange: `e${k + 1}`, method, target });
    }
    const misses = [...this.#misses.values()];
    const failed = misses.length > 0 || (this.#strict && leftoverCount > 0);
    const { answered } = this;
    return { exchanges: this.#recordings.size, answered, misses, unusedRecordings, leftoverCount, failed };
  }
}
