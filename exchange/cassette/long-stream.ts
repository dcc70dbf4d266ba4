import { LARGEST_READ } from '../http/body.ts';
import type { BlobStore } from './blobs.ts';
import { inlineBytes } from './exchange-lines.ts';
import { type JournalEvent, MOST_PIECES } from './lines.ts';

type Of<E extends JournalEvent['e']> = Extract<JournalEvent, { readonly e: E }>;

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
  let held: Of<'piece'>[] = [];
  let size = 0;
  let long: LongStream | null = null;
  for (const event of events) {
    if (event.e !== 'piece') {
      yield event;
      continue;
    }
    size += event.size;
    if (long === null && size <= limits.bytes && held.length < limits.pieces) {
      held.push(event);
      continue;
    }
    long ??= new LongStream(blobs, limits.pieces);
    for (const piece of held) long.add(piece);
    held = [];
    long.add(event);
  }
  yield* long === null ? held : [long.body()];
}

/** A stream on its way into a blob. */
class LongStream {
  readonly #blob: ReturnType<BlobStore['begin']>;
  readonly #most: number;
  readonly #pieces: (readonly [offset: number, at: number])[] = [];
  #i = 0;
  #arrived = 0;
  #size = 0;

  constructor(blobs: Pick<BlobStore, 'begin'>, most: number) {
    this.#blob = blobs.begin();
    this.#most = most;
  }

  add(piece: Of<'piece'>): void {
    this.#i = piece.i;
    if (piece.size > 0 && this.#pieces.length < this.#most) this.#pieces.push([this.#arrived, piece.at]);
    this.#arrived += piece.size;
    const bytes = inlineBytes(piece);
    this.#size += bytes.length;
    this.#blob.write(bytes);
  }

  body(): Of<'response-body'> {
    return {
      i: this.#i,
      e: 'response-body',
      size: this.#size,
      pieces: this.#pieces,
      blob: this.#blob.finish(),
    };
  }
}
