import { setValue } from '../vocabulary/changes.ts';
import { inStreamsOf } from '../vocabulary/equivalents.ts';
import { editFrame, frameData, frameWithData } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Json, StreamFrame } from '../vocabulary/types.ts';

const CHAT = 'createChatCompletion';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inStreamsOf(CHAT, 'chat choices of all chunks merged into one', mergeChunks),
  // A reply cut off by the token limit may end together with its last token.
  {
    ...inStreamsOf(CHAT, 'the last text in the chat chunk with the finish_reason', moveLastTexts),
    filed: 'vllm-project/vllm#35705',
  },
];

function mergeChunks(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const events = frames.map((frame) => ({ frame, data: frameData(frame) }));
  const chunks = events.filter(({ data }) => hasChoices(data));
  const pieces = chunks.flatMap(({ data }) => arrayAt(data, 'choices'));
  const [head] = chunks;
  const hasLogprobs = pieces.some((piece) => (valueAtPath(piece, 'logprobs') ?? null) !== null);
  if (head?.data === undefined || hasLogprobs) return frames;
  const indexes = [...new Set(pieces.map((piece) => valueAtPath(piece, 'index')))];
  const choices = indexes.map((index) =>
    joinPieces(pieces.filter((piece) => valueAtPath(piece, 'index') === index)),
  );
  const others = events.filter(({ data }) => !hasChoices(data)).map(({ frame }) => frame);
  return [frameWithData('', JSON.stringify(setValue('/choices', choices)(head.data))), ...others];
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
  const finish = valueAtPath(last, 'finish_reason') ?? null;
  return setValue('/finish_reason', finish)(setValue('/delta', delta)(first));
}

function hasChoices(data: Json | undefined): boolean {
  return arrayAt(data, 'choices').length > 0;
}

function moveLastTexts(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  return frames.flatMap((frame, i) => {
    if (findMovableText(frameData(frame), frames[i + 1]) !== undefined) return [];
    const movedText = i === 0 ? undefined : findMovableText(frameData(frames[i - 1] ?? frame), frame);
    if (movedText === undefined) return [frame];
    return [editFrame(frame, setValue('/choices/0/delta/content', movedText))];
  });
}

/** The text of a chunk with nothing else, if the next chunk only ends the same choice; undefined otherwise. */
function findMovableText(data: Json | undefined, next: StreamFrame | undefined): string | undefined {
  const ending = next === undefined ? undefined : frameData(next);
  const [choice, last] = [valueAtPath(data, 'choices', 0), valueAtPath(ending, 'choices', 0)];
  const isPair = arrayAt(data, 'choices').length === 1 && arrayAt(ending, 'choices').length === 1;
  if (!isPair || valueAtPath(choice, 'index') !== valueAtPath(last, 'index')) return undefined;
  const fields = Object.keys(Object(valueAtPath(choice, 'delta')));
  const isOnlyText = fields.join() === 'content' && (valueAtPath(choice, 'logprobs') ?? null) === null;
  const isOnlyEnd =
    textAt(last, 'finish_reason') !== undefined && (textAt(last, 'delta', 'content') ?? '') === '';
  return isOnlyText && isOnlyEnd ? textAt(choice, 'delta', 'content') : undefined;
}
