import { LARGEST_READ } from '../http/body.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { Blobs } from './blobs.ts';
import { MAX_KEPT_REQUEST_BYTES } from './cassette-writer.ts';
import { Recording, type RecordingSink, type RequestHead } from './recording.ts';

/** Numbers recordings without keeping them; each returns its exchange when it ends. */
export class MemoryRecorder {
  readonly #sink: RecordingSink;
  #began = 0;
  #ended = 0;

  constructor(redactor: Redactor) {
    this.#sink = {
      redactor,
      blobs: new Blobs(''),
      keepRequests: MAX_KEPT_REQUEST_BYTES,
      collect: true,
      judged: LARGEST_READ,
      reserve: () => true,
      release: () => {},
      onLines: null,
      begun: () => {},
      ended: () => {
        this.#ended += 1;
        return this.#ended;
      },
      write: () => {},
      removeLateSecrets: () => {},
      commit: () => Promise.resolve(null),
      remark: () => {},
    };
  }

  begin(head: RequestHead): Recording {
    this.#began += 1;
    const place = { i: this.#began, after: head.after ?? this.#ended, isKept: false };
    return new Recording(this.#sink, place, head);
  }

  note(): void {}
}
