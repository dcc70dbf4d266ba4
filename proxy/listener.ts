import type { End, Recording, ResponseHead } from '../exchange/cassette/recording.ts';
import { SETTLED } from '../exchange/cassette/recording.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Hears everything of one exchange as it passes. What it throws stops the traffic. */
export interface Listener {
  requestBody(bytes: Buffer): void;
  requestEnd(): void;
  response(head: ResponseHead): void;
  /** A piece of the response body, as it arrived. */
  piece(bytes: Buffer): void;
  /** The exchange is over; the client gets its end when the promise is kept. */
  end(end: End): Promise<unknown>;
}

/** What recordings of one recorder share. */
export interface Session {
  /** False once the cassette is being finished: what comes later is not recorded any more. */
  readonly open: boolean;
  readonly onExchange: ((exchange: Exchange) => void) | null;
  /** The service began to answer. */
  onAnswer(): void;
  /** The service broke off, or was silent; with why. */
  onSilence(why: string): void;
}

/** Why the service broke off, or was silent; null where it did neither. */
export function silenceIn({ how, detail }: End): string | null {
  return how.startsWith('upstream-') ? (detail ?? how) : null;
}

/** Writes an exchange into the cassette. */
export class RecordingListener implements Listener {
  readonly #recording: Recording;
  readonly #session: Session;

  constructor(recording: Recording, session: Session) {
    this.#recording = recording;
    this.#session = session;
  }

  requestBody(bytes: Buffer): void {
    if (this.#session.open) this.#recording.requestBody(bytes);
  }

  requestEnd(): void {
    if (!this.#session.open) return;
    const done = this.#recording.requestEnd();
    // A failure comes up again when the exchange ends.
    if (done !== SETTLED) done.catch(() => {});
  }

  response(head: ResponseHead): void {
    this.#session.onAnswer();
    if (this.#session.open) this.#recording.response(head);
  }

  piece(bytes: Buffer): void {
    if (this.#session.open) this.#recording.piece(bytes);
  }

  end(end: End): Promise<unknown> {
    if (!this.#session.open) return SETTLED;
    const silence = silenceIn(end);
    if (silence !== null) this.#session.onSilence(silence);
    const ending = this.#recording.end(end);
    const { onExchange } = this.#session;
    if (onExchange === null) return ending;
    return ending.then((exchange) => exchange && onExchange(exchange));
  }
}

/** Hears nothing. */
export const DEAF: Listener = {
  requestBody: () => {},
  requestEnd: () => {},
  response: () => {},
  piece: () => {},
  end: async () => {},
};

/**
 * A listener whose first failure makes it deaf instead of stopping the traffic: from the beginning (`always`), or once the
 * answer has begun (`answered`), so that no answer is cut in the middle.
 */
export class TolerantListener implements Listener {
  readonly #onFailure: () => void;
  #listener: Listener;
  #isTolerant: boolean;

  constructor(listener: Listener, onFailure: () => void, from: 'always' | 'answered' = 'always') {
    this.#listener = listener;
    this.#onFailure = onFailure;
    this.#isTolerant = from === 'always';
  }

  requestBody(bytes: Buffer): void {
    this.#attempt(() => this.#listener.requestBody(bytes));
  }

  requestEnd(): void {
    this.#attempt(() => this.#listener.requestEnd());
  }

  response(head: ResponseHead): void {
    this.#attempt(() => this.#listener.response(head));
    this.#isTolerant = true;
  }

  piece(bytes: Buffer): void {
    this.#attempt(() => this.#listener.piece(bytes));
  }

  async end(end: End): Promise<void> {
    try {
      await this.#listener.end(end);
    } catch (error) {
      if (!this.#isTolerant) throw error;
      this.#fail();
    }
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!this.#isTolerant) throw error;
      this.#fail();
    }
  }

  #fail(): void {
    if (this.#listener !== DEAF) this.#onFailure();
    this.#listener = DEAF;
  }
}
