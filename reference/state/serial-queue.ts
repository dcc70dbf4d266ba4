/** Lets work that waits for files or for other requests happen one after another. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when all that was handed in before has ended, however it ended. */
  take<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
