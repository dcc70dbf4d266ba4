import { dropEvent, inEvent, inFrames, lastOf, where } from '../../judge/edit/breaks.ts';
import { type Frame, reframe } from '../../judge/edit/streams.ts';
import { put } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { streams } from '../../judge/selectors/streams.ts';
import { choice } from '../../judge/write.ts';
import { byChoice, finishes, hasChoices, isUsage, tellsUsage, USAGE, wantsUsage } from '../chat/chunks.ts';

const TEXTS = 'createCompletion';
const OBJECT = '2 Text completion';

export const usageInStream = choice({
  id: 'completions.stream.usage',
  spec: OBJECT,
  says: 'Which pieces of a stream tell usage, as completions in one piece do.',
  alternatives: ['an extra last one if asked', 'every one', 'the one that ends', 'none', 'none if asked'],
  on: only(streams(TEXTS), (stream) => stream.ended && stream.chunks.length > 1),
  taken: ({ asked, chunks }) => {
    const telling = chunks.filter(tellsUsage);
    const [first] = telling;
    if (first === undefined) return wantsUsage(asked) ? 'none if asked' : null;
    if (telling.length === chunks.length) return 'every one';
    if (telling.length > 1 || first !== chunks.at(-1)) return 'some of them';
    if (hasChoices(first.data)) return 'the one that ends';
    return wantsUsage(asked) ? 'an extra last one if asked' : 'an extra last one unasked';
  },
  examples: {
    'every one': inEvent(TEXTS, where(hasChoices), put('/usage', USAGE)),
    'the one that ends': inFrames(TEXTS, usageAtEnd),
    'none if asked': dropEvent(TEXTS, where(isUsage)),
  },
});

export const sameHead = choice({
  id: 'completions.stream.same-head',
  spec: OBJECT,
  says: 'Whether every piece has the same id, created, model and system_fingerprint.',
  alternatives: ['the same', 'different ones'],
  on: only(streams(TEXTS), ({ chunks }) => chunks.length > 1),
  taken: ({ chunks }) => {
    const heads = chunks.map(({ data }) =>
      JSON.stringify(
        ['id', 'created', 'model', 'system_fingerprint'].map((field) => get(data, field) ?? null),
      ),
    );
    return new Set(heads).size === 1 ? 'the same' : 'different ones';
  },
  examples: {
    'different ones': inEvent(TEXTS, lastOf(where(hasChoices)), put('/created', 1)),
  },
});

export const endingPiece = choice({
  id: 'completions.stream.last-piece',
  spec: OBJECT,
  says: 'Whether the piece that ends a choice has text.',
  alternatives: ['no text', 'text'],
  on: streams(TEXTS),
  taken: ({ chunks }) => {
    const ending = byChoice(chunks)
      .flatMap(({ parts }) => parts)
      .find(({ piece }) => text(piece, 'finish_reason') !== undefined);
    if (ending === undefined) return null;
    return (text(ending.piece, 'text') ?? '') === '' ? 'no text' : 'text';
  },
  examples: {
    text: inEvent(TEXTS, where(finishes), put('/choices/0/text', '!')),
  },
});

/** Usage on the last piece that has choices, and on no piece of its own. */
function usageAtEnd(frames: readonly Frame[]): readonly Frame[] {
  const last = lastOf(where(hasChoices))(frames)[0];
  const extra = new Set(where(isUsage)(frames));
  return frames
    .map((frame, i) => (i === last ? reframe(frame, put('/usage', USAGE)) : frame))
    .filter((_, i) => !extra.has(i));
}
