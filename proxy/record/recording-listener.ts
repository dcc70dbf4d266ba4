import {
  MAX_KEPT_REQUEST_BYTES,
  type RecordedEnding,
  type Recording,
  type ResponseHead,
} from '../../exchange/cassette/recording.ts';
import type { TraceItem } from '../../exchange/trace.ts';
import type { ExchangeListener } from '../forward/proxied-exchange.ts';

export interface ListenerOptions {
  readonly answeredOnly: boolean;
  readonly onError: 'refuse' | 'pass';
  readonly onItem: ((item: TraceItem) => void) | null;
}

export interface ListenerHost {
  /** False once the cassette is being finished: later events are not recorded. */
  readonly isOpen: boolean;
  readonly options: ListenerOptions;
  recordStatus(status: number): void;
  recordUpstreamFailure(why: string, isRecorded: boolean): void;
  recordLoss(): void;
}

export const NULL_LISTENER: ExchangeListener = {
  requestBody: () => {},
  requestEnd: () => {},
  response: () => {},
  piece: () => {},
  end: async () => {},
};

const RESOLVED = Promise.resolve();

type WritableRecording = Pick<Recording, keyof ExchangeListener>;

/**
 * With `answeredOnly`, recording begins only when the response arrives or the request body is too large to hold, so
 * that a request without a response is sent again by the next run. Before the response, a failure stops the exchange,
 * unless `onError` is `pass`; afterwards it only ends the recording: no response is cut.
 */
export class RecordingListener implements ExchangeListener {
  readonly #open: () => WritableRecording;
  readonly #host: ListenerHost;
  #recording: WritableRecording | null = null;
  readonly #held: Buffer[] = [];
  #heldSize = 0;
  #isRequestComplete = false;
  #ignoresFailures: boolean;
  #isLost = false;

  /** Rethrows an error of `open`, unless the recording begins later. */
  constructor(open: () => WritableRecording, host: ListenerHost) {
    this.#open = open;
    this.#host = host;
    this.#ignoresFailures = host.options.onError === 'pass';
    if (!host.options.answeredOnly) this.#begin();
  }

  requestBody(bytes: Buffer): void {
    this.#attempt(() => {
      if (this.#recording !== null) {
        this.#recording.requestBody(bytes);
        return;
      }
      this.#held.push(bytes);
      this.#heldSize += bytes.length;
      if (this.#heldSize > MAX_KEPT_REQUEST_BYTES) this.#begin();
    });
  }

  requestEnd(): void {
    this.#attempt(() => {
      this.#isRequestComplete = true;
      this.#recording?.requestEnd();
    });
  }

  response(head: ResponseHead): void {
    this.#host.recordStatus(head.status);
    this.#attempt(() => this.#begin().response(head));
    this.#ignoresFailures = true;
  }

  piece(bytes: Buffer): void {
    this.#attempt(() => this.#recording?.piece(bytes));
  }

  /** Rejects or throws only if recording fails, no response has begun and `onError` is `refuse`. */
  end(end: RecordedEnding): Promise<unknown> {
    if (this.#isLost || !this.#host.isOpen) return RESOLVED;
    if (end.how === 'upstream-reset' || end.how === 'upstream-timeout')
      this.#host.recordUpstreamFailure(end.detail ?? end.how, this.#recording !== null);
    if (this.#recording === null) return RESOLVED;
    const { onItem } = this.#host.options;
    try {
      const stored = this.#recording.end(end);
      const reported = onItem === null ? stored : stored.then((exchange) => exchange && onItem(exchange));
      return reported.catch((error: unknown) => this.#handleFailure(error));
    } catch (error) {
      this.#handleFailure(error);
      return RESOLVED;
    }
  }

  #begin(): WritableRecording {
    if (this.#recording !== null) return this.#recording;
    const recording = this.#open();
    this.#recording = recording;
    for (const bytes of this.#held.splice(0)) recording.requestBody(bytes);
    if (this.#isRequestComplete) recording.requestEnd();
    return recording;
  }

  #attempt(action: () => void): void {
    if (this.#isLost || !this.#host.isOpen) return;
    try {
      action();
    } catch (error) {
      this.#handleFailure(error);
    }
  }

  #handleFailure(error: unknown): void {
    if (!this.#ignoresFailures) throw error;
    if (!this.#isLost) this.#host.recordLoss();
    this.#isLost = true;
  }
}
