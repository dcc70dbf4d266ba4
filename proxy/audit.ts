import type { Recordings } from './match.ts';
import type { Miss } from './miss.ts';

export interface ReplayReport {
  /** How many there are in the cassettes. */
  readonly exchanges: number;
  readonly answered: number;
  readonly misses: readonly Miss[];
  /** Recordings that nobody asked for; the first hundred. */
  readonly leftovers: readonly Leftover[];
  readonly leftoverCount: number;
  /** True after a miss, and under `strict` when something is left over. */
  readonly failed: boolean;
}

export interface Leftover {
  readonly cassette: string;
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
}

const LISTED = 100;

/** Keeps count of what was asked and answered. */
export class Audit {
  readonly misses: Miss[] = [];
  answered = 0;
  readonly #recordings: Recordings;
  readonly #strict: boolean;

  /** `strict`: whether leftovers are a failure; by default when `CI` is set. */
  constructor(recordings: Recordings, strict = Boolean(process.env['CI'])) {
    this.#recordings = recordings;
    this.#strict = strict;
  }

  report(): ReplayReport {
    const leftovers: Leftover[] = [];
    let leftoverCount = 0;
    for (const { cassette, k } of this.#recordings.leftovers()) {
      leftoverCount += 1;
      if (leftovers.length >= LISTED) continue;
      const { method, target } = cassette.request(k);
      leftovers.push({ cassette: cassette.dir, exchange: `e${k + 1}`, method, target });
    }
    const failed = this.misses.length > 0 || (this.#strict && leftoverCount > 0);
    const { answered, misses } = this;
    return { exchanges: this.#recordings.size, answered, misses, leftovers, leftoverCount, failed };
  }
}
