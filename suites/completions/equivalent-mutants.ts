import { type ChunkRewrite, inResponseAndChunks, mapChunks, writeChunks } from '../chat/mutations.ts';
import { callsOperation, removeValue, setValue } from '../vocabulary/changes.ts';
import { frameData, inEachExchange, withEvents } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Exchange, Json, StreamFrame } from '../vocabulary/types.ts';

/** Streams and completions with the same texts, in forms that the specification leaves open. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  inStreams('text pieces of one character each', (frame, data) => {
    const content = textAt(data, 'choices', 0, 'text') ?? '';
    if (content.length < 2 || ends(data) || logged(data)) return [frame];
    return [...content].map((character) => writeChunks(setValue('/choices/0/text', character)(data)));
  }),
  inStreams('empty text pieces', (frame, data) =>
    arrayAt(data, 'choices').length > 0 && !ends(data) && !logged(data)
      ? [writeChunks(setValue('/choices/0/text', '')(data)), frame]
      : [frame],
  ),
  inStreams('an empty text piece after the end', (frame, data) =>
    ends(data) ? [frame, writeChunks(setValue('/choices/0/text', '')(data))] : [frame],
  ),
  inEachExchange('usage on every text piece', (exchange) =>
    callsOperation(exchange, 'createCompletion') ? withEvents(exchange, usageAllAlong) : exchange,
  ),
  { ...inStreams('usage on no text piece', withoutUsage), blinds: true },
  inEachExchange('an unknown finish_reason of texts', (exchange) =>
    inTexts(exchange, '/choices/*/finish_reason', unknown),
  ),
  inEachExchange('log probabilities of texts in another form', (exchange) =>
    inTexts(exchange, '/choices/*/logprobs', (old) =>
      old === null || old === undefined ? null : { content: [{ token: 'a', logprob: -0.1 }] },
    ),
  ),
  inEachExchange('empty log probabilities of texts that were not requested', (exchange) =>
    inTexts(exchange, '/choices/*/logprobs', (old) => old ?? { tokens: [], token_logprobs: [] }),
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

type Change = (old: Json | undefined) => Json;

/** Edits one place of every completion and of every piece of a stream. */
function inTexts(exchange: Exchange, pointer: string, change: Change): Exchange {
  return callsOperation(exchange, 'createCompletion')
    ? inResponseAndChunks(exchange, change, pointer)
    : exchange;
}

function inStreams(name: string, rewrite: ChunkRewrite): EquivalentMutant {
  return inEachExchange(name, (exchange) =>
    callsOperation(exchange, 'createCompletion') ? withEvents(exchange, mapChunks(rewrite)) : exchange,
  );
}

function ends(data: Json): boolean {
  return textAt(data, 'choices', 0, 'finish_reason') !== undefined;
}

function logged(data: Json): boolean {
  return (valueAtPath(data, 'choices', 0, 'logprobs') ?? null) !== null;
}

function unknown(old: Json | undefined): Json {
  return old === 'stop' ? 'content_filter' : (old ?? null);
}
