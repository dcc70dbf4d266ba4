import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { dataOf, type Frame, withEvents } from '../../judge/edit/streams.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';
import { everywhere, map, type Rewrite, write } from './rewritten.ts';

const CONTENT = '/choices/0/delta/content';

/** Ways to stream or to tell the same reply that nothing is stated about. */
export const benign: readonly Benign[] = [
  inStreams('chat deltas of one character each', (frame, data) => {
    const content = text(data, 'choices', 0, 'delta', 'content');
    // The pieces of log probabilities belong to their tokens, and the end of a choice to its last piece.
    if (content === undefined || content.length < 2 || ends(data) || logged(data)) return [frame];
    return [...content].map((character) => write(put(CONTENT, character)(data)));
  }),
  inStreams('empty chat deltas', (frame, data) =>
    opens(data) ? [write(put('/choices/0/delta', {})(data)), write(put(CONTENT, '')(data)), frame] : [frame],
  ),
  inStreams('the role in every chat delta', (frame, data) =>
    get(data, 'choices', 0, 'delta') === undefined
      ? [frame]
      : [write(put('/choices/0/delta/role', 'assistant')(data))],
  ),
  inStreams('usage null in the chat chunks before the last', (frame, data) =>
    get(data, 'usage') === undefined ? [write(put('/usage', null)(data))] : [frame],
  ),
  inStreams('chat chunks without choices in between', (frame, data) =>
    opens(data) ? [write(put('/choices', [])(data)), frame] : [frame],
  ),
  ofEach('chat choices of all chunks merged into one', (exchange) =>
    isChat(exchange) ? withEvents(exchange, merged) : exchange,
  ),
  ofEach('empty log probabilities in chat that nobody asked for', (exchange) =>
    isChat(exchange) ? everywhere(exchange, untold, '/choices/*/logprobs') : exchange,
  ),
  {
    ...ofEach('an unknown finish_reason in chat', (exchange) =>
      isChat(exchange) ? everywhere(exchange, unknown, '/choices/*/finish_reason') : exchange,
    ),
    // Such a reply may be cut off, so it shows nothing of what whole replies do.
    blinds: true,
  },
  ofEach('chat choices that are counted from 1', (exchange) =>
    isChat(exchange) ? everywhere(exchange, oneMore, '/choices/*/index') : exchange,
  ),
  ofEach('letters beyond ASCII in chat', (exchange) =>
    isChat(exchange)
      ? everywhere(exchange, large, '/choices/*/message/content', '/choices/*/delta/content')
      : exchange,
  ),
];

function inStreams(name: string, rewrite: Rewrite): Benign {
  return ofEach(name, (exchange) => (isChat(exchange) ? withEvents(exchange, map(rewrite)) : exchange));
}

/** Each choice in one piece, all of them in the first chunk; usage stays where it is. */
function merged(frames: readonly Frame[]): readonly Frame[] {
  const told = frames.map((frame) => ({ frame, data: dataOf(frame) }));
  const chunks = told.filter(({ data }) => hasChoices(data));
  const pieces = chunks.flatMap(({ data }) => list(data, 'choices'));
  const [head] = chunks;
  if (head?.data === undefined || pieces.some((piece) => logged({ choices: [piece] }))) return frames;
  const indexes = [...new Set(pieces.map((piece) => get(piece, 'index')))];
  const choices = indexes.map((index) => joined(pieces.filter((piece) => get(piece, 'index') === index)));
  const rest = told.filter(({ data }) => !hasChoices(data)).map(({ frame }) => frame);
  return [write(put('/choices', choices)(head.data)), ...rest];
}

function joined(pieces: readonly Json[]): Json {
  const content = pieces.map((piece) => text(piece, 'delta', 'content') ?? '').join('');
  const last = pieces.at(-1) ?? null;
  const first = pieces[0] ?? null;
  const delta = { ...Object(get(first, 'delta')), role: 'assistant', content };
  return put('/finish_reason', get(last, 'finish_reason') ?? null)(put('/delta', delta)(first));
}

function isChat(exchange: Exchange): boolean {
  return calls(exchange, 'createChatCompletion');
}

function hasChoices(data: Json | undefined): boolean {
  return list(data, 'choices').length > 0;
}

function opens(data: Json): boolean {
  return text(data, 'choices', 0, 'delta', 'role') !== undefined;
}

function ends(data: Json): boolean {
  return text(data, 'choices', 0, 'finish_reason') !== undefined;
}

function logged(data: Json): boolean {
  return (get(data, 'choices', 0, 'logprobs') ?? null) !== null;
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

/** Neither a JSON literal nor a digit has an o, so JSON stays JSON and a count stays a count. */
function large(old: Json | undefined): Json {
  return typeof old === 'string' ? old.replaceAll('o', '🙂é') : (old ?? null);
}
