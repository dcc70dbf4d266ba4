import type { Json } from '../../exchange/body.ts';
import { inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { list, number, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { pairs } from '../../judge/selectors/pairs.ts';
import type { Chunk } from '../../judge/selectors/streams.ts';
import { requirement } from '../../judge/write.ts';
import { byChoice, hasChoices, isUsage, streamedUsage } from '../chat/chunks.ts';
import { differingTexts, indexes, joinTexts, promptTokens } from '../chat/compare.ts';

const TEXTS = 'createCompletion';
const SPEC = '2 Text completion';

export const sameChoices = requirement({
  id: 'completions.pair.same-choices',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A streamed completion has the choices that the same one has in one piece.',
  on: pairs(TEXTS),
  check: ({ plain, streamed }) => {
    const expected = indexes(list(plain[0]?.answer, 'choices'));
    return streamed.flatMap(({ chunks, call }) => {
      const found = byChoice(chunks).map(({ index }) => index);
      const actual = found.sort((a, b) => a - b);
      if (JSON.stringify(actual) === JSON.stringify(expected)) return [];
      return [
        { at: 'indexes of choices', expected: expected.join(', '), actual, exchange: call.exchange.id },
      ];
    });
  },
  breaks: {
    'a choice too many in the stream': inEvent(TEXTS, where(hasChoices), put('/choices/0/index', 7)),
    'a choice too few in one piece': inAnswer(TEXTS, remove('/choices/0')),
  },
});

export const samePrompt = requirement({
  id: 'completions.pair.same-prompt-tokens',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The usage of a stream counts the prompts as the same request without streaming does.',
  on: only(
    pairs(TEXTS),
    (pair) =>
      promptTokens(pair) !== undefined &&
      pair.streamed.some(({ chunks }) => streamedUsage(chunks) !== undefined),
  ),
  check: (pair) =>
    pair.streamed.flatMap(({ chunks, call }) => {
      const actual = number(streamedUsage(chunks), 'prompt_tokens');
      const expected = promptTokens(pair);
      if (actual === undefined || actual === expected) return [];
      return [{ at: '/usage/prompt_tokens', expected: String(expected), actual, exchange: call.exchange.id }];
    }),
  breaks: {
    'one more': inEvent(
      TEXTS,
      where(isUsage),
      put('/usage/prompt_tokens', (old) => Number(old) + 1),
    ),
    'none in one piece': inAnswer(TEXTS, put('/usage/prompt_tokens', 0)),
  },
});

export const sameText = requirement({
  id: 'completions.pair.same-text',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The joined pieces of a stream are the text that the same request gets in one piece.',
  on: only(pairs(TEXTS), ({ plain }) => plain.some(({ answer }) => textOf(answer) !== null)),
  check: (pair) => differingTexts(pair, '/choices/*/text', textOf, joinedText),
  breaks: {
    'a piece is lost': inEvent(TEXTS, where(hasChoices), put('/choices/*/text', '')),
    'another text': inAnswer(TEXTS, put('/choices/*/text', 'something else')),
  },
});

/** The texts of all choices as one text, in the order of their indexes; null where there is no text. */
function textOf(answer: Json): string | null {
  return joinTexts(list(answer, 'choices').map((one) => [number(one, 'index'), text(one, 'text')] as const));
}

function joinedText(chunks: readonly Chunk[]): string | null {
  const texts = byChoice(chunks).map(({ index, parts }) => {
    const pieces = parts.map(({ piece }) => text(piece, 'text'));
    return [index, pieces.every((piece) => piece === undefined) ? undefined : pieces.join('')] as const;
  });
  return joinTexts(texts);
}
