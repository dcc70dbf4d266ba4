import type { Json } from '../../exchange/body.ts';
import { inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { list, number, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { pairs } from '../../judge/selectors/pairs.ts';
import { requirement } from '../../judge/write.ts';
import { byChoice, hasChoices, isUsage, streamedUsage } from './chunks.ts';
import { differingTexts, indexes, joinTexts, promptTokens } from './compare.ts';

const CHAT = 'createChatCompletion';
const SPEC = '2 Chat completions';

export const sameChoices = requirement({
  id: 'chat.pair.same-choices',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A streamed reply has the choices that the same reply has in one piece.',
  on: pairs(CHAT),
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
    'a choice too many in the stream': inEvent(CHAT, where(hasChoices), put('/choices/0/index', 7)),
    'a choice too few in one piece': inAnswer(CHAT, remove('/choices/0')),
  },
});

export const samePrompt = requirement({
  id: 'chat.pair.same-prompt-tokens',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completion chunk',
  says: 'The usage of a stream counts the prompt as the same request without streaming does.',
  on: only(pairs(CHAT), (pair) => promptTokens(pair) !== undefined),
  check: (pair) =>
    pair.streamed.flatMap(({ chunks, call }) => {
      const actual = number(streamedUsage(chunks), 'prompt_tokens');
      const expected = promptTokens(pair);
      if (actual === undefined || actual === expected) return [];
      return [{ at: '/usage/prompt_tokens', expected: String(expected), actual, exchange: call.exchange.id }];
    }),
  breaks: {
    'one more': inEvent(
      CHAT,
      where(isUsage),
      put('/usage/prompt_tokens', (old) => Number(old) + 1),
    ),
    none: inEvent(CHAT, where(isUsage), put('/usage/prompt_tokens', 0)),
    'one more without streaming': inAnswer(
      CHAT,
      put('/usage/prompt_tokens', (old) => Number(old) + 1),
    ),
  },
});

export const sameText = requirement({
  id: 'chat.pair.same-text',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The joined deltas of a stream are the message that the same request gets in one piece.',
  on: only(pairs(CHAT), ({ plain }) => plain.some(({ answer }) => contentOf(answer) !== null)),
  check: (pair) => differingTexts(pair, '/choices/*/message/content', contentOf, joinedContent),
  breaks: {
    'a delta is lost': inEvent(CHAT, where(hasContent), put('/choices/*/delta/content', '')),
    'another message': inAnswer(CHAT, put('/choices/*/message/content', 'something else')),
  },
});

/** The texts of all choices as one text, in the order of their indexes; null where there is no text. */
function contentOf(answer: Json): string | null {
  const texts = list(answer, 'choices').map(
    (one) => [number(one, 'index'), text(one, 'message', 'content')] as const,
  );
  return joinTexts(texts);
}

function joinedContent(chunks: Parameters<typeof byChoice>[0]): string | null {
  const texts = byChoice(chunks).map(({ index, parts }) => {
    const deltas = parts.map(({ piece }) => text(piece, 'delta', 'content'));
    return [index, deltas.every((delta) => delta === undefined) ? undefined : deltas.join('')] as const;
  });
  return joinTexts(texts);
}

function hasContent(data: Json): boolean {
  return text(data, 'choices', 0, 'delta', 'content') !== undefined;
}
