import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { dataOf, type Frame, frameWith, withEvents } from '../../judge/edit/streams.ts';
import { put } from '../../judge/edit/values.ts';

/** What becomes of a chunk: none, one, or several in its place. */
export type Rewrite = (frame: Frame, data: Json) => readonly Frame[];

/** Rewrites the chunks of a stream; what is no JSON stays. */
export function map(rewrite: Rewrite) {
  return (frames: readonly Frame[]): readonly Frame[] =>
    frames.flatMap((frame) => {
      const data = dataOf(frame);
      return data === undefined ? [frame] : rewrite(frame, data);
    });
}

export function write(data: Json): Frame {
  return frameWith('', JSON.stringify(data));
}

/** Changes one place of an answer, and one of each chunk of a stream: the same unless given. */
export function everywhere(
  exchange: Exchange,
  change: (old: Json | undefined) => Json,
  pointer: string,
  inChunk = pointer,
): Exchange {
  return withEvents(
    withAnswer(exchange, put(pointer, change)),
    map((_, data) => [write(put(inChunk, change)(data))]),
  );
}
