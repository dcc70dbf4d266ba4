import { callsOperation, setValue } from '../vocabulary/changes.ts';
import { frameData, inEachExchange, withEvents } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Exchange, Json, StreamFrame } from '../vocabulary/types.ts';
import { type ChunkRewrite, inResponseAndChunks, mapChunks, writeChunks } from './mutations.ts';

const CONTENT = '/choices/0/delta/content';

/** Streams and replies with the same content, in forms that the specification leaves open. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  inStreams('chat deltas of one character each', (frame, data) => {
    const content = textAt(data, 'choices', 0, 'delta', 'content');
    // The parts of log probabilities belong to their tokens, and the end of a choice to its last delta.
    if (content === undefined || content.length < 2 || ends(data) || logged(data)) return [frame];
    return [...content].map((character) => writeChunks(setValue(CONTENT, character)(data)));
  }),
  inStreams('empty chat deltas', (frame, data) =>
    opens(data)
      ? [writeChunks(setValue('/choices/0/delta', {})(data)), writeChunks(setValue(CONTENT, '')(data)), frame]
      : [frame],
  ),
  {
    ...inStreams('the role in every chat delta', (frame, data) =>
      valueAtPath(data, 'choices', 0, 'delta') === undefined
        ? [frame]
        : [writeChunks(setValue('/choices/0/delta/role', 'assistant')(data))],
    ),
    filed: 'theopenco/llmgateway#317',
  },
  {
    ...inStreams('usage null in the chat chunks before the last', (frame, data) =>
      valueAtPath(data, 'usage') === undefined ? [writeChunks(setValue('/usage', null)(data))] : [frame],
    ),
    filed: 'router-for-me/CLIProxyAPI#3221',
  },
  inStreams('chat chunks without choices in between', (frame, data) =>
    opens(data) ? [writeChunks(setValue('/choices', [])(data)), frame] : [frame],
  ),
  inEachExchange('chat choices of all chunks merged into one', (exchange) =>
    isChat(exchange) ? withEvents(exchange, merged) : exchange,
  ),
  inEachExchange('empty log probabilities in chat that were not requested', (exchange) =>
    isChat(exchange) ? inResponseAndChunks(exchange, untold, '/choices/*/logprobs') : exchange,
  ),
  {
    ...inEachExchange('an unknown finish_reason in chat', (exchange) =>
      isChat(exchange) ? inResponseAndChunks(exchange, unknown, '/choices/*/finish_reason') : exchange,
    ),
    // Such a reply may be cut off, so it is not evidence for requirements on complete replies.
    blinds: true,
  },
  inEachExchange('chat choices that are numbered from 1', (exchange) =>
    isChat(exchange) ? inResponseAndChunks(exchange, oneMore, '/choices/*/index') : exchange,
  ),
  inEachExchange('letters beyond ASCII in chat', (exchange) =>
    isChat(exchange)
      ? inResponseAndChunks(exchange, large, '/choices/*/message/content', '/choices/*/delta/content')
      : exchange,
  ),
];

function inStreams(name: string, rewrite: ChunkRewrite): EquivalentMutant {
  return inEachExchange(name, (exchange) =>
    isChat(exchange) ? withEvents(exchange, mapChunks(rewrite)) : exchange,
  );
}

/** Puts each choice into one delta, all of them into the first chunk; usage stays in its chunk. */
function merged(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const reported = frames.map((frame) => ({ frame, data: frameData(frame) }));
  const chunks = reported.filter(({ data }) => hasChoices(data));
  const pieces = chunks.flatMap(({ data }) => arrayAt(data, 'choices'));
  const [head] = chunks;
  if (head?.data === undefined || pieces.some((piece) => logged({ choices: [piece] }))) return frames;
  const indexes = [...new Set(pieces.map((piece) => valueAtPath(piece, 'index')))];
  const choices = indexes.map((index) =>
    joined(pieces.filter((piece) => valueAtPath(piece, 'index') === index)),
  );
  const rest = reported.filter(({ data }) => !hasChoices(data)).map(({ frame }) => frame);
  return [writeChunks(setValue('/choices', choices)(head.data)), ...rest];
}

function joined(pieces: readonly Json[]): Json {
  const content = pieces.map((piece) => textAt(piece, 'delta', 'content') ?? '').join('');
  const last = pieces.at(-1) ?? null;
  const first = pieces[0] ?? null;
  const delta = { ...Object(valueAtPath(first, 'delta')), role: 'assistant', content };
  return setValue(
    '/finish_reason',
    valueAtPath(last, 'finish_reason') ?? null,
  )(setValue('/delta', delta)(first));
}

function isChat(exchange: Exchange): boolean {
  return callsOperation(exchange, 'createChatCompletion');
}

function hasChoices(data: Json | undefined): boolean {
  return arrayAt(data, 'choices').length > 0;
}

function opens(data: Json): boolean {
  return textAt(data, 'choices', 0, 'delta', 'role') !== undefined;
}

function ends(data: Json): boolean {
  return textAt(data, 'choices', 0, 'finish_reason') !== undefined;
}

function logged(data: Json): boolean {
  return (valueAtPath(data, 'choices', 0, 'logprobs') ?? null) !== null;
}

function untold(old: Json | undefined): Json {
  return old ?? { content: [] };
}

function oneMore(old: Json | undefined): Json {
  return typeof old === 'number' ? old + 1 : (old ?? null);
}

function unknown(old: Json | undefined): Json {
  return old === 'stop' ? 'content_filter' : (old ?? null);
}

/**
 * Rewrites the letter o: neither JSON literals nor digits contain it, so JSON stays valid and numbers stay
 * the same.
 */
function large(old: Json | undefined): Json {
  return typeof old === 'string' ? old.replaceAll('o', '🙂é') : (old ?? null);
}
