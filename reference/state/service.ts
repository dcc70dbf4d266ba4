import { getOrMake } from '../../schemas/grouping.ts';

/** The running service as its families see it. The state of a family is in a `perService` slot. */
export interface Service {
  /** Determines every identifier and every choice of the stand-in model. */
  readonly seed: number;
  /** Null if keys are not checked. */
  readonly apiKey: string | null;
  /** Id of the organization: `org-reference`, or `org-second` for that of the second key. */
  readonly organization: string;
  /** The service of the first organization; null if this is it. */
  readonly first: Service | null;
  /** Name of the beta header, in lower case. */
  readonly betaHeader: string;
  /** Seconds that a resource stays in a state; with 0, until it is retrieved. */
  readonly stateDelay: number;
  /** Whether runs have a small model. */
  readonly smallModel: boolean;
  /** How every run ends; null if its work decides. */
  readonly runsEnd: 'incomplete' | 'failed' | 'expired' | null;
  /** Folder for uploads, which exists until the service is closed. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Unix seconds. */
  readonly now: () => number;
  /** A new identifier: `id('file-')`. */
  readonly id: (prefix: string, length?: number) => string;
  /** Scheme, host and port, without a path. */
  readonly origin: () => string;
  /** The alternative that the service takes, by the id of the choice in `suites/ledger.json`. */
  readonly takes: (choice: string) => string;
  /** Sends a request to the service itself, for batches. */
  readonly post: (path: string, body: unknown) => Promise<{ status: number; body: unknown }>;
}

/** State that each service creates at the first call. */
export function perService<T>(make: (service: Service) => T): (service: Service) => T {
  const slots = new WeakMap<Service, { readonly value: T }>();
  return (service) => getOrMake(slots, service, () => ({ value: make(service) })).value;
}

/** The steps of a resource: one per read with a state delay of 0, else one whenever that many seconds have passed. */
export class StateProgress {
  readonly #service: Service;
  readonly #start: number;
  #reads = 0;

  constructor(service: Service) {
    this.#service = service;
    this.#start = service.clock();
  }

  /** Steps taken so far. This getter does not count as a read, so lists and cancellations use it. */
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

  /** Unix seconds at which a step (counted from 1) was taken. */
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

  /** Makes the transitions that are due by the clock. */
  catchUp(): Promise<void> {
    return this.#until(this.#progress.steps);
  }

  /** Makes the transitions that are due after one more read. */
  read(): Promise<void> {
    return this.#until(this.#progress.read());
  }

  /** Runs `work` after all earlier transitions and work have settled. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #until(steps: number): Promise<void> {
    return this.alone(async () => {
      while (this.#steps < steps && !this.#hasEnded()) {
        this.#steps += 1;
        await this.#move(this.#progress.at(this.#steps));
      }
    });
  }
}
