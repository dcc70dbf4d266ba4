import type { Service } from './service.ts';

/**
 * How far a resource has come. With a state delay of 0 it takes one step each time it is read (`read`), never by
 * itself; with a delay it takes a step each time that many seconds have passed.
 */
export class StateProgress {
  readonly #service: Service;
  readonly #begun: number;
  #reads = 0;

  constructor(service: Service) {
    this.#service = service;
    this.#begun = service.clock();
  }

  /** Steps taken so far, without counting a reading (for lists and cancelling). */
  get steps(): number {
    const delay = this.#service.stateDelay;
    if (delay === 0) return this.#reads;
    return Math.max(0, Math.floor((this.#service.clock() - this.#begun) / (delay * 1000)));
  }

  /** Counts a reading; returns the steps taken so far. */
  read(): number {
    this.#reads += 1;
    return this.steps;
  }

  /** Unix seconds at which step `n` (from 1) was taken, given that it was. */
  at(step: number): number {
    const delay = this.#service.stateDelay;
    if (delay === 0) return this.#service.now();
    return Math.floor(this.#begun / 1000 + delay * step);
  }
}

/** The customary header with the milliseconds after which a client should poll again. */
export function pollAfter(service: Service): Readonly<Record<string, string>> {
  return { 'openai-poll-after-ms': String(Math.min(1000, Math.max(1, Math.ceil(service.stateDelay * 250)))) };
}
