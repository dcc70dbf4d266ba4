import type { Json } from '../../exchange/body.ts';
import { inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, number, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { type Pair, pairs } from '../../judge/selectors/pairs.ts';
import { requirement } from '../../judge/write.ts';
import { byChoice, streamedUsage } from './replies.ts';

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
      where(hasUsage),
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
  check: compareTexts,
  breaks: {
    'a delta is lost': inEvent(CHAT, where(hasContent), put('/choices/*/delta/content', '')),
    'another message': inAnswer(CHAT, put('/choices/*/message/content', 'something else')),
  },
});

/**
 * Models may answer the same question in two ways. So a difference is held against the target only where it
 * answers alike each time: several times in one piece, and several times streamed.
 */
function compareTexts({ plain, streamed }: Pair): Complaint[] {
  const whole = plain.map(({ answer }) => contentOf(answer));
  const joined = streamed.map(({ chunks }) => joinedContent(chunks));
  const differing = joined.findIndex((one) => !whole.includes(one));
  if (differing === -1 || joined.some((one) => whole.includes(one))) return [];
  const steady = isSteady(whole) && isSteady(joined);
  return [
    {
      at: '/choices/*/message/content',
      expected: JSON.stringify(whole[0]),
      actual: joined[differing] ?? null,
      exchange: streamed[differing]?.call.exchange.id ?? '',
      ...(steady ? {} : { inconclusive: 'model' as const }),
    },
  ];
}

function isSteady(texts: readonly (string | null)[]): boolean {
  return texts.length > 1 && new Set(texts).size === 1;
}

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

/** An empty text says as much as none. */
function joinTexts(texts: readonly (readonly [number | undefined, string | undefined])[]): string | null {
  const inOrder = texts
    .toSorted(([a = 0], [b = 0]) => a - b)
    .map(([, one]) => (one === '' ? undefined : one));
  return inOrder.every((one) => one === undefined) ? null : JSON.stringify(inOrder.map((one) => one ?? null));
}

function promptTokens({ plain }: Pair): number | undefined {
  return plain
    .map(({ answer }) => number(answer, 'usage', 'prompt_tokens'))
    .find((count) => count !== undefined);
}

function indexes(choices: readonly Json[]): readonly number[] {
  return choices.flatMap((one) => number(one, 'index') ?? []).sort((a, b) => a - b);
}

function hasChoices(data: Json): boolean {
  return list(data, 'choices').length > 0;
}

function hasContent(data: Json): boolean {
  return text(data, 'choices', 0, 'delta', 'content') !== undefined;
}

function hasUsage(data: Json): boolean {
  return (get(data, 'usage') ?? null) !== null;
}
