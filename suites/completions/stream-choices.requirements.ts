import { CHUNK_USAGE, hasUsage, lastPiece, usageChunk, wantsNoUsage, wantsUsage } from '../chat/chunks.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEvents, setValue } from '../vocabulary/changes.ts';
import { equalFields } from '../vocabulary/choice-values.ts';
import { editFrame } from '../vocabulary/exchanges.ts';
import { arrayAt } from '../vocabulary/json.ts';
import { streams, where } from '../vocabulary/selectors.ts';
import type { StreamEvidence, StreamFrame } from '../vocabulary/types.ts';

const TEXTS = 'createCompletion';
/** The fields that every piece has. */
const HEAD = ['id', 'created', 'model', 'system_fingerprint'];

export const completionsStreamUsage = choiceOf('completions.stream.usage', {
  selector: where(
    streams(TEXTS),
    (stream) =>
      stream.ended && stream.chunks.length > 1 && (wantsUsage(stream.asked) || wantsNoUsage(stream.asked)),
  ),
  taken: piecesWithUsage,
  examples: { 'the one that ends': inEvents(TEXTS, usageAtEnd) },
});

export const completionsStreamSameHead = choiceOf<StreamEvidence>('completions.stream.same-head', {
  taken: ({ chunks }) => equalFields(chunks, HEAD, 'the same', 'different ones'),
});

/** Moves usage into the last piece that has choices, and removes the separate piece for it. */
function usageAtEnd(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const last = lastPiece(frames)[0];
  const extra = new Set(usageChunk(frames));
  return frames
    .map((frame, i) => (i === last ? editFrame(frame, setValue('/usage', CHUNK_USAGE)) : frame))
    .filter((_, i) => !extra.has(i));
}

/** The pieces of a stream that contain usage. */
function piecesWithUsage({ asked, chunks }: StreamEvidence): string | null {
  const withUsage = chunks.filter(hasUsage);
  const [first] = withUsage;
  if (first === undefined) return wantsUsage(asked) ? 'none if requested' : null;
  if (withUsage.length === chunks.length) return 'every one';
  if (withUsage.length > 1 || first !== chunks.at(-1)) return 'some of them';
  if (arrayAt(first.data, 'choices').length > 0) return 'the one that ends';
  return wantsUsage(asked) ? 'an extra last one if requested' : 'an extra last one, not requested';
}
