import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, numberAt, textAt } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { streamedPairs } from '../../judge/evidence/selectors/pairs.ts';
import { eventsWhere, inEvent, inResponse } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { byChoice, hasChoices, isUsage, streamedUsage } from './selectors/chunks.ts';
import { differingTexts, indexes, joinTexts, promptTokensOf } from './selectors/compare.ts';

const { implied } = section('2 Chat completions');
const CHAT = 'createChatCompletion';

export const chatPairSameChoices = implied('chat.pair.same-choices', {
  says: 'A streamed reply has the choices that the same reply has in one piece.',
  selector: streamedPairs(CHAT),
  check: ({ plain, streamed }) => {
    const expected = indexes(arrayAt(plain[0]?.answer, 'choices'));
    return streamed.flatMap(({ chunks, call }) => {
      const found = byChoice(chunks).map(({ index }) => index);
      const actual = found.sort((a, b) => a - b);
      if (JSON.stringify(actual) === JSON.stringify(expected)) return [];
      return [
        { at: 'indexes of choices', expected: expected.join(', '), actual, exchange: call.exchange.id },
      ];
    });
  },
  mutations: {
    'a choice too many in the stream': inEvent(
      CHAT,
      eventsWhere(hasChoices),
      setValue('/choices/0/index', 7),
    ),
    'a choice too few in one piece': inResponse(CHAT, removeValue('/choices/0')),
  },
});

export const chatPairSamePromptTokens = implied('chat.pair.same-prompt-tokens', {
  spec: '2 Chat completion chunk',
  says: 'The usage of a stream counts the prompt as the same request without streaming does.',
  selector: where(streamedPairs(CHAT), (pair) => promptTokensOf(pair) !== undefined),
  check: (pair) =>
    pair.streamed.flatMap(({ chunks, call }) => {
      const actual = numberAt(streamedUsage(chunks), 'prompt_tokens');
      const expected = promptTokensOf(pair);
      if (actual === undefined || actual === expected) return [];
      return [{ at: '/usage/prompt_tokens', expected: String(expected), actual, exchange: call.exchange.id }];
    }),
  mutations: {
    'one more': inEvent(
      CHAT,
      eventsWhere(isUsage),
      setValue('/usage/prompt_tokens', (old) => Number(old) + 1),
    ),
    none: inEvent(CHAT, eventsWhere(isUsage), setValue('/usage/prompt_tokens', 0)),
    'one more without streaming': inResponse(
      CHAT,
      setValue('/usage/prompt_tokens', (old) => Number(old) + 1),
    ),
  },
});

export const chatPairSameText = implied('chat.pair.same-text', {
  says: 'The joined deltas of a stream are the message of a reply to the same request in one piece.',
  selector: where(streamedPairs(CHAT), ({ plain }) => plain.some(({ answer }) => contentOf(answer) !== null)),
  check: (pair) => differingTexts(pair, '/choices/*/message/content', contentOf, joinedContent),
  mutations: {
    'a delta is lost': inEvent(CHAT, eventsWhere(hasContent), setValue('/choices/*/delta/content', '')),
    'another message': inResponse(CHAT, setValue('/choices/*/message/content', 'something else')),
  },
});

/** The texts of all choices as one text, sorted by index; null where all are without text. */
function contentOf(answer: Json): string | null {
  const texts = arrayAt(answer, 'choices').map(
    (one) => [numberAt(one, 'index'), textAt(one, 'message', 'content')] as const,
  );
  return joinTexts(texts);
}

function joinedContent(chunks: Parameters<typeof byChoice>[0]): string | null {
  const texts = byChoice(chunks).map(({ index, parts }) => {
    const deltas = parts.map(({ piece }) => textAt(piece, 'delta', 'content'));
    return [index, deltas.every((delta) => delta === undefined) ? undefined : deltas.join('')] as const;
  });
  return joinTexts(texts);
}

function hasContent(data: Json): boolean {
  return textAt(data, 'choices', 0, 'delta', 'content') !== undefined;
}
