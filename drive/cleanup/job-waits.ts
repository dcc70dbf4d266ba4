import { setTimeout as pause } from 'node:timers/promises';

/** Largest number of looks at a cancelled job, with exponentially growing pauses from 20 ms on: 2.5 s together. */
const LOOKS = 8;

/**
 * The waits of a run, or of a cleanup, for the ends of jobs that it has cancelled. Where one did not end, the next are looked
 * at once: a target that leaves jobs running would otherwise be waited for again with each of them.
 */
export class JobWaits {
  readonly #rest: (ms: number) => Promise<unknown>;
  #looks = LOOKS;

  constructor(rest: (ms: number) => Promise<unknown> = pause) {
    this.#rest = rest;
  }

  /** Yields before each look; whoever sees the end leaves the loop. */
  async *looks(): AsyncGenerator<void> {
    for (let n = 0; n < this.#looks; n++) {
      if (n > 0) await this.#rest(20 * 2 ** (n - 1));
      yield;
    }
    this.#looks = 1;
  }
}
