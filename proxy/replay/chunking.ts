import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { openRegular } from '../../exchange/cassette/entries.ts';
import type { HttpResponse } from '../../exchange/exchange.ts';
import { contentCodings } from '../../exchange/http/content.ts';
import { arrivalTime, isEventStream } from '../../exchange/http/event-stream.ts';
import { readEvents } from '../../exchange/http/sse-reader.ts';

/** How a body is split into pieces on replay: as recorded (`wire`), or in ways that any parser must accept. */
export type Chunking =
  | { readonly by: 'wire' | 'event' | 'whole' | 'split-utf8' | 'split-crlf' }
  | { readonly by: 'bytes'; readonly count: number }
  | { readonly by: 'seed'; readonly seed: number };

export interface ScheduledChunk {
  /** The next piece of the body; never empty. */
  readonly bytes: Uint8Array;
  /** Milliseconds since the request began. */
  readonly at: number;
}

/** With `wire` or `whole`, a larger body in a file of its own is not loaded, but sent as it is read. */
const MAX_BYTES_IN_MEMORY = 4 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const MAX_SEEDED_PIECE_BYTES = 64;

/** Reads `wire`, `event`, `whole`, `bytes:N`, `split-utf8`, `split-crlf` or `seed:N`; null for anything else. */
export function parseChunking(text: string): Chunking | null {
  const [by, number, ...excess] = text.split(':');
  if (excess.length > 0) return null;
  if (number === undefined) {
    return by === 'wire' || by === 'event' || by === 'whole' || by === 'split-utf8' || by === 'split-crlf'
      ? { by }
      : null;
  }
  if (!/^\d{1,9}$/.test(number)) return null;
  if (by === 'seed') return { by, seed: Number(number) };
  return by === 'bytes' && Number(number) > 0 ? { by, count: Number(number) } : null;
}

/** Splits the body of a response. Throws if the file of a large body no longer matches the digest in its name. */
export function* scheduleChunks(response: HttpResponse, chunking: Chunking): Generator<ScheduledChunk> {
  const { file, size } = response.body;
  if (file !== null && size > MAX_BYTES_IN_MEMORY && (chunking.by === 'wire' || chunking.by === 'whole')) {
    yield* readFilePieces(file, response);
    return;
  }
  const bytes = response.body.bytes ?? new Uint8Array(0);
  if (bytes.length === 0) return;
  // Skip empty pieces, which node would not write: offsets may repeat or begin at 0.
  let from = 0;
  for (const end of [...splitOffsets(response, bytes, chunking), bytes.length]) {
    if (end <= from) continue;
    yield { bytes: bytes.subarray(from, end), at: arrivalTime(response.pieces, end) ?? 0 };
    from = end;
  }
}

/** The pieces of a large body; the last one is yielded only after the digest of the whole body has been checked. */
function* readFilePieces(file: string, { pieces, body }: HttpResponse): Generator<ScheduledChunk> {
  const fd = openRegular(file);
  const hash = createHash('sha256');
  try {
    for (let from = 0; from < body.size; ) {
      const bytes = Buffer.allocUnsafe(Math.min(READ_BYTES, body.size - from));
      const count = readSync(fd, bytes, 0, bytes.length, from);
      if (count === 0) break;
      from += count;
      hash.update(bytes.subarray(0, count));
      if (from >= body.size && hash.digest('hex') !== body.sha256) break;
      yield { bytes: bytes.subarray(0, count), at: arrivalTime(pieces, from) ?? 0 };
      if (from >= body.size) return;
    }
  } finally {
    closeSync(fd);
  }
  throw new Error(`${file} was changed: its digest differs from its name. Restore it, or record again.`);
}

function splitOffsets(response: HttpResponse, bytes: Uint8Array, chunking: Chunking): number[] {
  switch (chunking.by) {
    case 'wire':
      return response.pieces.length > 0
        ? response.pieces.map(({ offset }) => offset)
        : eventEnds(response, bytes);
    case 'event':
      return eventEnds(response, bytes);
    case 'whole':
      return [];
    case 'bytes':
      return Array.from({ length: Math.ceil(bytes.length / chunking.count) }, (_, i) => i * chunking.count);
    case 'split-utf8':
      // Within multi-byte characters, where a stateless decoder produces replacement characters.
      return offsetsAfter(bytes, (byte, next = 0) => byte >= 0x80 && (next & 0xc0) === 0x80);
    case 'split-crlf':
      // After each CR and LF: between the two, an event parser may see an extra line break.
      return offsetsAfter(bytes, (byte) => byte === 10 || byte === 13);
    case 'seed':
      return seededOffsets(bytes.length, chunking.seed);
  }
}

function eventEnds(response: HttpResponse, bytes: Uint8Array): number[] {
  if (!isEventStream(response) || contentCodings(response.headers).length > 0) return [];
  return (readEvents(bytes)?.events ?? []).map(({ end }) => end);
}

function offsetsAfter(bytes: Uint8Array, isSelected: (byte: number, next?: number) => boolean): number[] {
  const offsets: number[] = [];
  for (let i = 0; i < bytes.length; i += 1) if (isSelected(bytes[i] ?? 0, bytes[i + 1])) offsets.push(i + 1);
  return offsets;
}

/** Offsets that leave pieces of 1 to MAX_SEEDED_PIECE_BYTES bytes, whose sizes mulberry32 chooses. */
function seededOffsets(length: number, seed: number): number[] {
  const offsets: number[] = [];
  let state = seed >>> 0;
  for (let at = 0; at < length; ) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    at += 1 + (((mixed ^ (mixed >>> 14)) >>> 0) % MAX_SEEDED_PIECE_BYTES);
    if (at < length) offsets.push(at);
  }
  return offsets;
}
