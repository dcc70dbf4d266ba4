import {
  ends,
  inChunksOf,
  inRepliesOf,
  logged,
  mapChunks,
  otherReason,
  writeChunks,
} from '../chat/mutations.ts';
import { removeValue, setValue } from '../vocabulary/changes.ts';
import { inStreamsOf } from '../vocabulary/equivalents.ts';
import { frameData } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Json, StreamFrame } from '../vocabulary/types.ts';

const TEXTS = 'createCompletion';

/** Streams and completions with the same texts, in forms that the specification leaves open. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  inChunksOf(TEXTS, 'text pieces of one character each', (frame, data) => {
    const content = textAt(data, 'choices', 0, 'text') ?? '';
    if (content.length < 2 || ends(data) || logged(data)) return [frame];
    return [...content].map((character) => writeChunks(setValue('/choices/0/text', character)(data)));
  }),
  inChunksOf(TEXTS, 'empty text pieces', (frame, data) =>
    arrayAt(data, 'choices').length > 0 && !ends(data) && !logged(data)
      ? [writeChunks(setValue('/choices/0/text', '')(data)), frame]
      : [frame],
  ),
  inChunksOf(TEXTS, 'an empty text piece after the end', (frame, data) =>
    ends(data) ? [frame, writeChunks(setValue('/choices/0/text', '')(data))] : [frame],
  ),
  inStreamsOf(TEXTS, 'usage on every text piece', usageAllAlong),
  { ...inChunksOf(TEXTS, 'usage on no text piece', withoutUsage), blinds: true },
  {
    ...inRepliesOf(TEXTS, 'an unknown finish_reason of texts', otherReason, '/choices/*/finish_reason'),
    blinds: true,
  },
  inRepliesOf(
    TEXTS,
    'log probabilities of texts in another form',
    (old) => (old === null || old === undefined ? null : { content: [{ token: 'a', logprob: -0.1 }] }),
    '/choices/*/logprobs',
  ),
  inRepliesOf(
    TEXTS,
    'empty log probabilities of texts that were not requested',
    (old) => old ?? { tokens: [], token_logprobs: [] },
    '/choices/*/logprobs',
  ),
];

function withoutUsage(frame: StreamFrame, data: Json): readonly StreamFrame[] {
  if (valueAtPath(data, 'usage') === undefined) return [frame];
  return arrayAt(data, 'choices').length === 0 ? [] : [writeChunks(removeValue('/usage')(data))];
}

/** Moves the usage of a stream into every piece, and removes the separate piece for it. */
function usageAllAlong(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const usage = frames
    .map((frame) => valueAtPath(frameData(frame), 'usage') ?? null)
    .findLast((one) => one !== null);
  if (usage === undefined) return frames;
  return mapChunks((_, data) =>
    arrayAt(data, 'choices').length === 0 ? [] : [writeChunks(setValue('/usage', usage)(data))],
  )(frames);
}
