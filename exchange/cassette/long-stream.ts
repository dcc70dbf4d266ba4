import { LARGEST_READ } from '../http/body.ts';
import type { BlobStore } from './blobs.ts';
import { inlineBytes } from './exchange-lines.ts';
import { type EventOf, type JournalEvent, MOST_PIECES } from './lines.ts';

/** Limits of a stream that is stored event by event. Injected by tests. */
export interface StreamLimits {
  readonly bytes: number;
  readonly pieces: number;
}

const LIMITS: StreamLimits = { bytes: LARGEST_READ, pieces: MOST_PIECES };

/**
 * The events of one exchange, in bounded memory: the pieces of a stream beyond the limits become a body in a blob. Other events pass.
 */
export function* withoutLongStream(
  events: Iterable<JournalEvent>,
  blobs: Pick<BlobStore, 'begin'>,
  limits = LIMITS,
): Generator<JournalEvent> {
  let held: EventOf<'piece'>[] = [];
  let size = 0;
  let long: LongStream | null = null;
  for (const event of events) {
    if (event.e !== 'piece') {
      yield event;
      continue;
    }
    size += event.size;
    held.push(event);
    if (long === null && size <= limits.bytes && held.length <= limits.pieces) continue;
    long ??= { i: event.i, arrived: 0, size: 0, pieces: [], blob: blobs.begin() };
    for (const piece of held) addPiece(long, piece, limits.pieces);
    held = [];
  }
  if (long === null) yield* held;
  else {
    const { i, pieces, blob } = long;
    yield { i, e: 'response-body', size: long.size, pieces, blob: blob.finish() };
  }
}

/** A stream on its way into a blob: bytes that arrived, and redacted bytes that were written. */
interface LongStream {
  readonly i: number;
  arrived: number;
  size: number;
  readonly pieces: (readonly [offset: number, at: number])[];
  readonly blob: ReturnType<BlobStore['begin']>;
}

function addPiece(stream: LongStream, piece: EventOf<'piece'>, most: number): void {
  if (piece.size > 0 && stream.pieces.length < most) stream.pieces.push([stream.arrived, piece.at]);
  stream.arrived += piece.size;
  const bytes = inlineBytes(piece);
  stream.size += bytes.length;
  stream.blob.write(bytes);
}
