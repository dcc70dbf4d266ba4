import { setValue } from '../vocabulary/changes.ts';
import { inStreamsOf } from '../vocabulary/equivalents.ts';
import { frameData } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Json, StreamFrame } from '../vocabulary/types.ts';
import { ends, inChunksOf, inRepliesOf, logged, otherReason, writeChunks } from './mutations.ts';

const CHAT = 'createChatCompletion';
const CONTENT = '/choices/0/delta/content';

/** Streams and replies with the same content, in forms that the specification leaves open. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  inChunksOf(CHAT, 'chat deltas of one character each', (frame, data) => {
    const content = textAt(data, 'choices', 0, 'delta', 'content');
    // The parts of log probabilities belong to their tokens, and the end of a choice to its last delta.
    if (content === undefined || content.length < 2 || ends(data) || logged(data)) return [frame];
    return [...content].map((character) => writeChunks(setValue(CONTENT, character)(data)));
  }),
  inChunksOf(CHAT, 'empty chat deltas', (frame, data) =>
    opens(data)
      ? [writeChunks(setValue('/choices/0/delta', {})(data)), writeChunks(setValue(CONTENT, '')(data)), frame]
      : [frame],
  ),
  inChunksOf(CHAT, 'chat chunks without choices in between', (frame, data) =>
    opens(data) ? [writeChunks(setValue('/choices', [])(data)), frame] : [frame],
  ),
  inStreamsOf(CHAT, 'chat choices of all chunks merged into one', merged),
  inRepliesOf(CHAT, 'empty log probabilities in chat that were not requested', untold, '/choices/*/logprobs'),
  {
    ...inRepliesOf(CHAT, 'an unknown finish_reason in chat', otherReason, '/choices/*/finish_reason'),
    // Such a reply may be cut off, so it is not evidence for requirements on complete replies.
    blinds: true,
  },
  inRepliesOf(
    CHAT,
    'letters beyond ASCII in chat',
    large,
    '/choices/*/message/content',
    '/choices/*/delta/content',
  ),
];

/** Puts each choice into one delta, all of them into the first chunk; usage stays in its chunk. */
function merged(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const reported = frames.map((frame) => ({ frame, data: frameData(frame) }));
  const chunks = reported.filter(({ data }) => hasChoices(data));
  const pieces = chunks.flatMap(({ data }) => arrayAt(data, 'choices'));
  const [head] = chunks;
  if (head?.data === undefined || pieces.some((piece) => logged({ choices: [piece] }))) return frames;
  const indexes = [...new Set(pieces.map((piece) => valueAtPath(piece, 'index')))];
  const choices = indexes.map((index) =>
    joinPieces(pieces.filter((piece) => valueAtPath(piece, 'index') === index)),
  );
  const rest = reported.filter(({ data }) => !hasChoices(data)).map(({ frame }) => frame);
  return [writeChunks(setValue('/choices', choices)(head.data)), ...rest];
}

function joinPieces(pieces: readonly Json[]): Json {
  const content = pieces.map((piece) => textAt(piece, 'delta', 'content') ?? '').join('');
  const last = pieces.at(-1) ?? null;
  const first = pieces[0] ?? null;
  const calls = pieces.flatMap((piece) => arrayAt(piece, 'delta', 'tool_calls'));
  const delta = {
    ...Object(valueAtPath(first, 'delta')),
    role: 'assistant',
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return setValue(
    '/finish_reason',
    valueAtPath(last, 'finish_reason') ?? null,
  )(setValue('/delta', delta)(first));
}

function hasChoices(data: Json | undefined): boolean {
  return arrayAt(data, 'choices').length > 0;
}

function opens(data: Json): boolean {
  return textAt(data, 'choices', 0, 'delta', 'role') !== undefined;
}

function untold(old: Json | undefined): Json {
  return old ?? { content: [] };
}

/**
 * Rewrites the letter o: neither JSON literals nor digits contain it, so JSON stays valid and numbers stay
 * the same.
 */
function large(old: Json | undefined): Json {
  return typeof old === 'string' ? old.replaceAll('o', '🙂é') : (old ?? null);
}
