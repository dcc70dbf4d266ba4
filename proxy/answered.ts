import type { End, ResponseHead } from '../exchange/cassette/recording.ts';
import { SETTLED } from '../exchange/cassette/recording.ts';
import { KEEP_REQUESTS } from '../exchange/cassette/write.ts';
import type { Listener } from './listener.ts';

/**
 * Begins to write an exchange down when the service begins to answer: an attempt that it never answered is no recording of
 * it. A request body too large to be held until then is written down whatever comes of it.
 */
export class AnsweredListener implements Listener {
  readonly #begin: () => Listener;
  readonly #onUnanswered: (end: End) => void;
  #begun: Listener | null = null;
  #held: Buffer[] = [];
  #size = 0;
  #isWhole = false;

  constructor(begin: () => Listener, onUnanswered: (end: End) => void) {
    this.#begin = begin;
    this.#onUnanswered = onUnanswered;
  }

  requestBody(bytes: Buffer): void {
    if (this.#begun !== null) {
      this.#begun.requestBody(bytes);
      return;
    }
    this.#held.push(bytes);
    this.#size += bytes.length;
    if (this.#size > KEEP_REQUESTS) this.#written();
  }

  requestEnd(): void {
    this.#isWhole = true;
    this.#begun?.requestEnd();
  }

  response(head: ResponseHead): void {
    this.#written().response(head);
  }

  piece(bytes: Buffer): void {
    this.#written().piece(bytes);
  }

  end(end: End): Promise<unknown> {
    if (this.#begun !== null) return this.#begun.end(end);
    this.#onUnanswered(end);
    return SETTLED;
  }

  #written(): Listener {
    if (this.#begun !== null) return this.#begun;
    const begun = this.#begin();
    this.#begun = begun;
    for (const bytes of this.#held.splice(0)) begun.requestBody(bytes);
    if (this.#isWhole) begun.requestEnd();
    return begun;
  }
}
