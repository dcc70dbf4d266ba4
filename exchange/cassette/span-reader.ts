import { type LineSource, readAt } from './line-reader.ts';

/** Reads bytes from `offset` on, fewer at the end of the source. The result is valid until the next call. */
export type ReadSpan = (source: LineSource, offset: number, length: number) => Buffer;

const SCRATCH_BYTES = 64 * 1024;

/** Reads spans of up to `SCRATCH_BYTES` into one buffer, for callers that need a span only until they read the next. */
export class ScratchReader {
  #bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  /** The bytes are valid until the next call, or permanently if `replaceBuffer` is called before it. */
  readonly read: ReadSpan = (source, offset, length) => {
    if (length > SCRATCH_BYTES) return readSpan(source, offset, length);
    return fill(this.#bytes.subarray(0, length), source, offset);
  };

  replaceBuffer(): void {
    this.#bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  }
}

const WINDOW_BYTES = 256 * 1024;

export function bufferedSpanReader(): ReadSpan {
  const window = Buffer.alloc(WINDOW_BYTES);
  let content: Buffer = window.subarray(0, 0);
  let from = 0;
  return (source, offset, length) => {
    if (offset < from || offset + length > from + content.length) {
      // Overlapping exchanges end out of order, so the window begins a quarter of its size before the span.
      from = Math.max(0, offset - WINDOW_BYTES / 4);
      const wanted = offset - from + length;
      content = wanted > WINDOW_BYTES ? readSpan(source, from, wanted) : fill(window, source, from);
    }
    return content.subarray(offset - from, offset - from + length);
  };
}

export function readSpan(source: LineSource, offset: number, length: number): Buffer {
  return fill(Buffer.allocUnsafe(length), source, offset);
}

function fill(bytes: Buffer, source: LineSource, offset: number): Buffer {
  let done = 0;
  while (done < bytes.length) {
    const count = readAt(source, bytes, done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
