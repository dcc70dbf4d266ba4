import type { AwaitedState } from '../exchange/note.ts';

/** What a run waits for. */
export interface CurrentWait extends AwaitedState {
  readonly scenario: string;
  /** Seconds after which it goes on without. */
  readonly most: number;
}

/** Milliseconds without a word after which a run says what it waits for. */
const QUIET = 10_000;

/** Tells what a run waits for, where nothing else was to be told for a while. */
export class WaitReports {
  readonly #publish: (wait: CurrentWait) => void;
  readonly #now: () => number;
  #last: number;

  constructor(publish: (wait: CurrentWait) => void, now: () => number = () => performance.now()) {
    this.#publish = publish;
    this.#now = now;
    this.#last = now();
  }

  /** Something else was told. */
  told(): void {
    this.#last = this.#now();
  }

  /** A look at what is waited for showed that it has not come. */
  seen(wait: CurrentWait): void {
    if (this.#now() - this.#last < QUIET) return;
    this.told();
    this.#publish(wait);
  }
}
