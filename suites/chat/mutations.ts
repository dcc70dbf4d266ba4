import { setValue } from '../vocabulary/changes.ts';
import { frameData, frameWithData, withEvents, withResponseJson } from '../vocabulary/exchanges.ts';
import type { Exchange, Json, StreamFrame } from '../vocabulary/types.ts';

/** Returns the replacement of a chunk: none, one, or several events. */
export type ChunkRewrite = (frame: StreamFrame, data: Json) => readonly StreamFrame[];

/**
 * Rewrites the chunks of a stream. Events whose data are not valid JSON, such as the last one with [DONE], stay unchanged.
 */
export function mapChunks(rewrite: ChunkRewrite) {
  return (frames: readonly StreamFrame[]): readonly StreamFrame[] =>
    frames.flatMap((frame) => {
      const data = frameData(frame);
      return data === undefined ? [frame] : rewrite(frame, data);
    });
}

/** An event with this chunk as its data and without an event name, as in part 2, "Chat completion chunk". */
export function writeChunks(data: Json): StreamFrame {
  return frameWithData('', JSON.stringify(data));
}

/** Changes one place of a reply, and one of each chunk of a stream, which is the same pointer unless given. */
export function inResponseAndChunks(
  exchange: Exchange,
  change: (old: Json | undefined) => Json,
  pointer: string,
  inChunk = pointer,
): Exchange {
  return withEvents(
    withResponseJson(exchange, setValue(pointer, change)),
    mapChunks((_, data) => [writeChunks(setValue(inChunk, change)(data))]),
  );
}
