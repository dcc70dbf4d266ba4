import { MAX_KEPT_REQUEST_BYTES } from '../../exchange/cassette/cassette-writer.ts';
import { RESOLVED, type RecordedEnding, type ResponseHead } from '../../exchange/cassette/recording.ts';

import type { ExchangeListener } from './exchange-listener.ts';

/**
 * Begins a recording when the service begins to respond: an exchange without a response is not a recording that can be
 * replayed. A request body too large to be kept in memory until then is recorded in any case.
 */
export class DeferredListener implements ExchangeListener {
  readonly #begin: () => ExchangeListener;
  readonly #onUnanswered: (end: RecordedEnding) => void;
  #begun: ExchangeListener | null = null;
  #held: Buffer[] = [];
  #size = 0;
  /** The request body has ended. */
  #isWhole = false;

  constructor(begin: () => ExchangeListener, onUnanswered: (end: RecordedEnding) => void) {
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
    if (this.#size > MAX_KEPT_REQUEST_BYTES) this.#recording();
  }

  requestEnd(): void {
    this.#isWhole = true;
    this.#begun?.requestEnd();
  }

  response(head: ResponseHead): void {
    this.#recording().response(head);
  }

  piece(bytes: Buffer): void {
    this.#recording().piece(bytes);
  }

  end(end: RecordedEnding): Promise<unknown> {
    if (this.#begun !== null) return this.#begun.end(end);
    this.#onUnanswered(end);
    return RESOLVED;
  }

  /** The recording, begun with what was held so far. */
  #recording(): ExchangeListener {
    if (this.#begun !== null) return this.#begun;
    const begun = this.#begin();
    this.#begun = begun;
    for (const bytes of this.#held.splice(0)) begun.requestBody(bytes);
    if (this.#isWhole) begun.requestEnd();
    return begun;
  }
}
