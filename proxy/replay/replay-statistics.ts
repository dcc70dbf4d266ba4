import type { Recordings } from './match.ts';
import type { ReplayMiss } from './replay-miss.ts';

export interface ReplayReport {
  /** How many there are in the cassettes. */
  readonly exchanges: number;
  readonly answered: number;
  /** Requests that no recording answers, each once, however often a client tries it again. */
  readonly misses: readonly ReplayMiss[];
  /** Recordings that nobody asked for; the first hundred. */
  readonly unuseds: readonly UnusedRecording[];
  readonly leftoverCount: number;
  /** True after a miss, and under `strict` when something is left over. */
  readonly failed: boolean;
}

export interface UnusedRecording {
  readonly cassette: string;
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
}

const LISTED = 100;

/** Keeps count of what was asked and answered. */
export class ReplayStatistics {
  answered = 0;
  /** By the key of the request. */
  readonly #misses = new Map<string, ReplayMiss>();
  readonly #recordings: Recordings;
  readonly #strict: boolean;

  /** `strict`: whether leftovers are a failure; by default when `CI` is set. */
  constructor(recordings: Recordings, strict = Boolean(process.env['CI'])) {
    this.#recordings = recordings;
    this.#strict = strict;
  }

  /** Takes a miss down; false where the same request was missed before. `key`: of the request. */
  miss(key: string, miss: ReplayMiss): boolean {
    if (this.#misses.has(key)) return false;
    this.#misses.set(key, miss);
    return true;
  }

  report(): ReplayReport {
    const unuseds: UnusedRecording[] = [];
    let leftoverCount = 0;
    for (const { cassette, k } of this.#recordings.leftovers()) {
      leftoverCount += 1;
      if (unuseds.length >= LISTED) continue;
      const { method, target } = cassette.request(k);
      unuseds.push({ cassette: cassette.dir, exchange: `e${k + 1}`, method, target });
    }
    const misses = [...this.#misses.values()];
    const failed = misses.length > 0 || (this.#strict && leftoverCount > 0);
    const { answered } = this;
    return { exchanges: this.#recordings.size, answered, misses, unuseds, leftoverCount, failed };
  }
}
