import { setValue } from '../vocabulary/changes.ts';
import { inCallsOf, inStreamsOf } from '../vocabulary/equivalents.ts';
import { frameData, frameWithData, withEvents, withResponseJson } from '../vocabulary/exchanges.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Exchange, Json, StreamFrame } from '../vocabulary/types.ts';

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

/** An equivalent mutant that rewrites the chunks of every stream of an operation. */
export function inChunksOf(operation: string, name: string, rewrite: ChunkRewrite): EquivalentMutant {
  return inStreamsOf(operation, name, mapChunks(rewrite));
}

/** An equivalent mutant that changes one place of every reply of an operation, and one of each chunk. */
export function inRepliesOf(
  operation: string,
  name: string,
  ...[change, pointer, inChunk]: Place
): EquivalentMutant {
  return inCallsOf(operation, name, (exchange) => inResponseAndChunks(exchange, change, pointer, inChunk));
}

/** The replacement value, its place in a reply, and its place in a chunk: by default the same pointer. */
type Place = readonly [change: (old: Json | undefined) => Json, pointer: string, inChunk?: string];

/** Whether a chunk ends its choice. */
export function ends(data: Json): boolean {
  return textAt(data, 'choices', 0, 'finish_reason') !== undefined;
}

/** Whether a chunk has log probabilities. */
export function logged(data: Json): boolean {
  return (valueAtPath(data, 'choices', 0, 'logprobs') ?? null) !== null;
}

/** A rarely returned reason, in place of the usual one. */
export function otherReason(old: Json | undefined): Json {
  return old === 'stop' ? 'content_filter' : (old ?? null);
}

/** Changes one place of a reply, and one of each chunk of a stream, by default at the same pointer. */
function inResponseAndChunks(
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
