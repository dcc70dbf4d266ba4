import {
  RESOLVED,
  type RecordedEnding,
  type Recording,
  type ResponseHead,
} from '../../exchange/cassette/recording.ts';

import type { Exchange } from '../../exchange/exchange.ts';

/** Receives everything of one exchange as it passes, in this order. An error that it throws stops the exchange. */
export interface ExchangeListener {
  requestBody(bytes: Buffer): void;
  requestEnd(): void;
  /** The response head; not called where the service did not respond. */
  response(head: ResponseHead): void;
  /** A piece of the response body, as it arrived. */
  piece(bytes: Buffer): void;
  /** The exchange is over; the client gets the end of the response when the promise resolves. */
  end(end: RecordedEnding): Promise<unknown>;
}

/** State that all recordings of one recorder share. */
export interface RecordingContext {
  /** False once the cassette is being finished: later events are not recorded. */
  readonly open: boolean;
  /** Receives every exchange when it has ended; null where none is wanted. */
  readonly onExchange: ((exchange: Exchange) => void) | null;
  /** The service began to respond. */
  onAnswer(): void;
  /** The service disconnected or timed out; `why` is the detail that is stored. */
  onSilence(why: string): void;
}

/** Why the service disconnected or timed out; null where it did neither. */
export function upstreamSilence({ how, detail }: RecordedEnding): string | null {
  return how.startsWith('upstream-') ? (detail ?? how) : null;
}

/** Writes an exchange into the cassette. */
export class RecordingListener implements ExchangeListener {
  readonly #recording: Recording;
  readonly #context: RecordingContext;

  constructor(recording: Recording, context: RecordingContext) {
    this.#recording = recording;
    this.#context = context;
  }

  requestBody(bytes: Buffer): void {
    if (this.#context.open) this.#recording.requestBody(bytes);
  }

  requestEnd(): void {
    if (!this.#context.open) return;
    const done = this.#recording.requestEnd();
    // The failure is reported when the exchange ends.
    if (done !== RESOLVED) done.catch(() => {});
  }

  response(head: ResponseHead): void {
    this.#context.onAnswer();
    if (this.#context.open) this.#recording.response(head);
  }

  piece(bytes: Buffer): void {
    if (this.#context.open) this.#recording.piece(bytes);
  }

  end(end: RecordedEnding): Promise<unknown> {
    if (!this.#context.open) return RESOLVED;
    const silence = upstreamSilence(end);
    if (silence !== null) this.#context.onSilence(silence);
    const ending = this.#recording.end(end);
    const { onExchange } = this.#context;
    if (onExchange === null) return ending;
    return ending.then((exchange) => exchange && onExchange(exchange));
  }
}

/** Ignores everything. */
export const NULL_LISTENER: ExchangeListener = {
  requestBody: () => {},
  requestEnd: () => {},
  response: () => {},
  piece: () => {},
  end: async () => {},
};

/**
 * A listener whose first failure ends the recording instead of the exchange: from the beginning (`always`), or once the
 * response has begun (`answered`), so that no response is truncated.
 */
export class TolerantListener implements ExchangeListener {
  readonly #onFailure: () => void;
  #listener: ExchangeListener;
  #isTolerant: boolean;

  constructor(listener: ExchangeListener, onFailure: () => void, from: 'always' | 'answered' = 'always') {
    this.#listener = listener;
    this.#onFailure = onFailure;
    this.#isTolerant = from === 'always';
  }

  requestBody(bytes: Buffer): void {
    try {
      this.#listener.requestBody(bytes);
    } catch (error) {
      this.#failed(error);
    }
  }

  requestEnd(): void {
    try {
      this.#listener.requestEnd();
    } catch (error) {
      this.#failed(error);
    }
  }

  response(head: ResponseHead): void {
    try {
      this.#listener.response(head);
    } catch (error) {
      this.#failed(error);
    }
    this.#isTolerant = true;
  }

  piece(bytes: Buffer): void {
    try {
      this.#listener.piece(bytes);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Rejects only where failures are not tolerated yet. */
  end(end: RecordedEnding): Promise<unknown> {
    try {
      return this.#listener.end(end).catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
      return RESOLVED;
    }
  }

  #failed(error: unknown): void {
    if (!this.#isTolerant) throw error;
    if (this.#listener !== NULL_LISTENER) this.#onFailure();
    this.#listener = NULL_LISTENER;
  }
}
