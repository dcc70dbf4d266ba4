import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { withResponseJson } from '../../judge/mutations/exchanges.ts';
import { frameData, frameWithData, type StreamFrame, withEvents } from '../../judge/mutations/streams.ts';
import { setValue } from '../../judge/mutations/values.ts';

/** What becomes of a chunk: none, one, or several in its place. */
export type ChunkRewrite = (frame: StreamFrame, data: Json) => readonly StreamFrame[];

/** Rewrites the chunks of a stream; what is no JSON stays. */
export function mapChunks(rewrite: ChunkRewrite) {
  return (frames: readonly StreamFrame[]): readonly StreamFrame[] =>
    frames.flatMap((frame) => {
      const data = frameData(frame);
      return data === undefined ? [frame] : rewrite(frame, data);
    });
}

export function writeChunks(data: Json): StreamFrame {
  return frameWithData('', JSON.stringify(data));
}

/** Changes one place of an answer, and one of each chunk of a stream: the same unless given. */
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
