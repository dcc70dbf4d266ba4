import type { AwaitedState } from '../../exchange/note.ts';

export interface CurrentWait extends AwaitedState {
  readonly scenario: string;
  /** Seconds until the scenario stops waiting. */
  readonly most: number;
}

const REPORT_INTERVAL_MS = 10_000;

export class WaitReports {
  readonly #publish: (wait: CurrentWait) => void;
  readonly #now: () => number;
  #reportedAt: number;

  constructor(publish: (wait: CurrentWait) => void, now: () => number = () => performance.now()) {
    this.#publish = publish;
    this.#now = now;
    this.#reportedAt = now();
  }

  /** Restarts the ten seconds of silence that precede a report. Called when a scenario ends, which is reported too. */
  reset(): void {
    this.#reportedAt = this.#now();
  }

  /** Call after each poll that does not show the awaited state. */
  report(wait: CurrentWait): void {
    if (this.#now() - this.#reportedAt < REPORT_INTERVAL_MS) return;
    this.reset();
    this.#publish(wait);
  }
}
