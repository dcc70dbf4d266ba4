import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { dataOf, type Frame, withEvents } from '../../judge/edit/streams.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';
import { everywhere, map, type Rewrite, write } from '../chat/rewritten.ts';

/** Ways to stream or to tell the same texts that nothing is stated about. */
export const benign: readonly Benign[] = [
  inStreams('text pieces of one character each', (frame, data) => {
    const content = text(data, 'choices', 0, 'text') ?? '';
    if (content.length < 2 || ends(data) || logged(data)) return [frame];
    return [...content].map((character) => write(put('/choices/0/text', character)(data)));
  }),
  inStreams('empty text pieces', (frame, data) =>
    list(data, 'choices').length > 0 && !ends(data) && !logged(data)
      ? [write(put('/choices/0/text', '')(data)), frame]
      : [frame],
  ),
  inStreams('an empty text piece after the end', (frame, data) =>
    ends(data) ? [frame, write(put('/choices/0/text', '')(data))] : [frame],
  ),
  ofEach('usage on every text piece', (exchange) =>
    calls(exchange, 'createCompletion') ? withEvents(exchange, usageAllAlong) : exchange,
  ),
  { ...inStreams('usage on no text piece', withoutUsage), blinds: true },
  ofEach('an unknown finish_reason of texts', (exchange) =>
    inTexts(exchange, '/choices/*/finish_reason', unknown),
  ),
  ofEach('log probabilities of texts in another form', (exchange) =>
    inTexts(exchange, '/choices/*/logprobs', (old) =>
      old === null || old === undefined ? null : { content: [{ token: 'a', logprob: -0.1 }] },
    ),
  ),
  ofEach('empty log probabilities of texts that nobody asked for', (exchange) =>
    inTexts(exchange, '/choices/*/logprobs', (old) => old ?? { tokens: [], token_logprobs: [] }),
  ),
];

function withoutUsage(frame: Frame, data: Json): readonly Frame[] {
  if (get(data, 'usage') === undefined) return [frame];
  return list(data, 'choices').length === 0 ? [] : [write(remove('/usage')(data))];
}

/** The usage that a stream tells once, told on every piece and on none of its own. */
function usageAllAlong(frames: readonly Frame[]): readonly Frame[] {
  const usage = frames.map((frame) => get(dataOf(frame), 'usage') ?? null).findLast((one) => one !== null);
  if (usage === undefined) return frames;
  return map((_, data) => (list(data, 'choices').length === 0 ? [] : [write(put('/usage', usage)(data))]))(
    frames,
  );
}

type Change = (old: Json | undefined) => Json;

/** At one place of every answer and of every piece of a stream. */
function inTexts(exchange: Exchange, pointer: string, change: Change): Exchange {
  return calls(exchange, 'createCompletion') ? everywhere(exchange, change, pointer) : exchange;
}

function inStreams(name: string, rewrite: Rewrite): Benign {
  return ofEach(name, (exchange) =>
    calls(exchange, 'createCompletion') ? withEvents(exchange, map(rewrite)) : exchange,
  );
}

function ends(data: Json): boolean {
  return text(data, 'choices', 0, 'finish_reason') !== undefined;
}

function logged(data: Json): boolean {
  return (get(data, 'choices', 0, 'logprobs') ?? null) !== null;
}

function unknown(old: Json | undefined): Json {
  return old === 'stop' ? 'content_filter' : (old ?? null);
}
