import { setTimeout as pause } from 'node:timers/promises';

/** Maximum number of polls of a cancelled job. The pauses grow exponentially from 20 ms, to 2.5 s in total. */
const MAX_JOB_POLLS = 8;

/**
 * Paces the polling of cancelled jobs until they end. Once one has not ended in time, later jobs are polled only once,
 * because a target that leaves jobs running would otherwise cost the full wait for each.
 */
export class JobWaits {
  readonly #sleep: (ms: number) => Promise<unknown>;
  #maxPolls = MAX_JOB_POLLS;

  constructor(sleep: (ms: number) => Promise<unknown> = pause) {
    this.#sleep = sleep;
  }

  /** Yields before each poll; the caller leaves the loop when the job has ended. */
  async *polls(): AsyncGenerator<void> {
    for (let n = 0; n < this.#maxPolls; n++) {
      if (n > 0) await this.#sleep(20 * 2 ** (n - 1));
      yield;
    }
    this.#maxPolls = 1;
  }
}
