import type { Service } from './service.ts';

/** The steps of a resource: one per read with a state delay of 0, else one whenever that many seconds have passed. */
export class StateProgress {
  readonly #service: Service;
  readonly #start: number;
  #reads = 0;

  constructor(service: Service) {
    this.#service = service;
    this.#start = service.clock();
  }

  /** Does not count as a read, so lists and cancellations use it. */
  get steps(): number {
    const delay = this.#service.stateDelay;
    if (delay === 0) return this.#reads;
    return Math.max(0, Math.floor((this.#service.clock() - this.#start) / (delay * 1000)));
  }

  /** Counts a read, which is a step if the state delay is 0; returns the steps taken so far. */
  read(): number {
    this.#reads += 1;
    return this.steps;
  }

  /** Time of a step, counted from 1, in Unix seconds; the current time with a state delay of 0. */
  at(step: number): number {
    const delay = this.#service.stateDelay;
    if (delay === 0) return this.#service.now();
    return Math.floor(this.#start / 1000 + delay * step);
  }
}

/** The customary header with the milliseconds until a client should poll again. */
export function pollAfter(service: Service): Readonly<Record<string, string>> {
  return { 'openai-poll-after-ms': String(Math.min(1000, Math.max(1, Math.ceil(service.stateDelay * 250)))) };
}

/** Performs the transitions of a resource sequentially, so that two requests never perform the same one. */
export class Transitions {
  readonly #progress: StateProgress;
  readonly #hasEnded: () => boolean;
  readonly #move: (at: number) => Promise<void>;
  #steps = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** `move` makes one transition; `at` is its time in Unix seconds. */
  constructor(service: Service, hasEnded: () => boolean, move: (at: number) => Promise<void>) {
    this.#progress = new StateProgress(service);
    this.#hasEnded = hasEnded;
    this.#move = move;
  }

  catchUp(): Promise<void> {
    return this.#advanceTo(this.#progress.steps);
  }

  /** Makes the transitions that are due after one more read. */
  read(): Promise<void> {
    return this.#advanceTo(this.#progress.read());
  }

  /** Runs `work` after all earlier transitions and work have settled. */
  runAlone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #advanceTo(steps: number): Promise<void> {
    return this.runAlone(async () => {
      while (this.#steps < steps && !this.#hasEnded()) {
        this.#steps += 1;
        await this.#move(this.#progress.at(this.#steps));
      }
    });
  }
}
