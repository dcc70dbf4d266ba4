// Which events of a streamed completion are meant, for mutations.
import { eventsWhere, firstPicked, lastPicked } from '../../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import type { EventPicker } from '../../vocabulary/types.ts';

/** All but the end of the stream. */
export const everyChunk: EventPicker = eventsWhere((data) => valueAtPath(data, 'choices') !== undefined);
/** The first chunk of a stream. */
export const firstChunk: EventPicker = firstPicked(everyChunk);
/** The last chunk of a stream, before its end. */
export const lastChunk: EventPicker = lastPicked(everyChunk);

/** Chunks with a part of a choice. */
export const everyPiece: EventPicker = eventsWhere((data) => arrayAt(data, 'choices').length > 0);
/** The first chunk with a part of a choice. */
export const firstPiece: EventPicker = firstPicked(everyPiece);
/** The last chunk with a part of a choice. */
export const lastPiece: EventPicker = lastPicked(everyPiece);

/** The last chunk of a choice. */
export const endOfChoice: EventPicker = eventsWhere(
  (data) => textAt(data, 'choices', 0, 'finish_reason') !== undefined,
);

/** Chunks that report usage. */
export const usageChunk: EventPicker = eventsWhere((data) => (valueAtPath(data, 'usage') ?? null) !== null);
