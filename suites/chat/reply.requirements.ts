import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { lastAlone } from '../../judge/edit/between.ts';
import { everywhere, firstOf, inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, isObject, number, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { byIdentity } from '../../judge/selectors/identity.ts';
import { requirement } from '../../judge/write.ts';
import { choicesInWords, hasChoices, isChunk, isUsage } from './chunks.ts';
import { allReplies, isWhole, mayBeCut, type ReplyChoice, replies, repliesTo, stopsOf } from './replies.ts';

const CHAT = 'createChatCompletion';

export const idUnique = requirement({
  id: 'chat.reply.id-unique',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Chat completion',
  says: 'Two chat completions never have the same id.',
  on: byIdentity(CHAT),
  check: ({ id, earlier }) =>
    earlier === null ? [] : [{ at: 'id', expected: `an id that ${earlier.id} does not have`, actual: id }],
  breaks: {
    'one id for all': inAnswer(CHAT, put('/id', 'chatcmpl-same')),
    'one id for all streams': inEvent(CHAT, where(isChunk), put('/id', 'chatcmpl-same')),
    'the first again at the end': lastAlone(CHAT, (first) => put('/id', get(first, 'id') ?? null)),
  },
});

export const choicesAsAsked = requirement({
  id: 'chat.reply.choices-as-asked',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Chat completions',
  says: 'A reply has n choices, one unless n is given.',
  on: allReplies(),
  check: ({ choices, asked }) => {
    const given = get(asked, 'n');
    // What became of an n that is no number is for others to judge.
    if (given !== undefined && given !== null && typeof given !== 'number') return [];
    const n = given ?? 1;
    return choices.length === n
      ? []
      : [{ at: '/choices', expected: choicesInWords(n), actual: choices.length }];
  },
  breaks: {
    'one too few': inAnswer(CHAT, remove('/choices/0')),
    'one too many': inAnswer(CHAT, put('/choices', doubled)),
    'one more in a stream': inEvent(CHAT, firstOf(where(hasChoices)), put('/choices/0/index', 7)),
  },
});

export const indexesCount = requirement({
  id: 'chat.reply.indexes-count-up',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completion',
  says: 'The choices of a reply have each an index of its own.',
  on: replies(),
  check: ({ choices }) => {
    const indexes = choices.map(({ index }) => index ?? -1);
    return new Set(indexes).size === indexes.length
      ? []
      : [{ at: '/choices', expected: 'each index once', actual: indexes }];
  },
  breaks: {
    'all the same': inAnswer(CHAT, put('/choices/*/index', 3)),
    'the last as the first': inAnswer(CHAT, put('/choices/1/index', 0)),
  },
});

export const tokensBounded = requirement({
  id: 'chat.reply.tokens-bounded',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'A choice is no longer than max_tokens tokens.',
  on: only(
    replies(),
    ({ asked, usage }) =>
      number(asked, 'max_tokens') !== undefined && number(usage, 'completion_tokens') !== undefined,
  ),
  check: ({ asked, usage }) => {
    const used = number(usage, 'completion_tokens') ?? 0;
    const all = (number(asked, 'max_tokens') ?? 0) * (number(asked, 'n') ?? 1);
    return used <= all ? [] : [{ at: '/usage/completion_tokens', expected: `at most ${all}`, actual: used }];
  },
  breaks: {
    'more than asked for': inAnswer(CHAT, put('/usage/completion_tokens', 1_000_000)),
    'more in a stream': inEvent(CHAT, where(isUsage), put('/usage/completion_tokens', 1_000_000)),
  },
});

export const nothingAfterStop = requirement({
  id: 'chat.reply.nothing-after-stop',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'Nothing follows a stop sequence in a reply.',
  on: repliesTo((asked) => stopsOf(asked).length > 0),
  check: ({ choices, asked }) =>
    stopsOf(asked).flatMap((stop) =>
      choices
        .filter(({ content }) => typeof content === 'string' && goesOnAfter(content, stop))
        // Of two sequences that begin alike the longer one may have ended it.
        .filter(({ content }) => !stopsOf(asked).some((other) => content?.endsWith(other)))
        .map(({ at, content }) => ({
          at: `${at}/message/content`,
          expected: `an end at ${JSON.stringify(stop)}`,
          actual: content,
        })),
    ),
  breaks: {
    'goes on': everywhere(CHAT, (exchange) => goOn(exchange, (stop) => `before ${stop} after`)),
    'begins with it': everywhere(CHAT, (exchange) => goOn(exchange, (stop) => `${stop} all the same`)),
  },
});

export const jsonMode = requirement({
  id: 'chat.reply.json-mode-is-json',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Chat completions',
  says: 'In JSON mode a reply that is not cut off is valid JSON.',
  on: only(
    repliesTo(
      (asked) => text(asked, 'response_format', 'type') === 'json_object' && stopsOf(asked).length === 0,
    ),
    (reply) => reply.choices.some(isWholeText) && !mayBeCut(reply),
  ),
  check: ({ choices }) =>
    choices
      .filter((choice) => isWholeText(choice) && !isJson(choice.content ?? ''))
      .map(({ at, content }) => ({
        at: `${at}/message/content`,
        expected: 'valid JSON',
        actual: content ?? null,
      })),
  breaks: {
    'half of it': inAnswer(CHAT, put('/choices/*/message/content', '{"half": ')),
    prose: inAnswer(CHAT, put('/choices/*/message/content', 'Here you are.')),
    'prose in a stream': inEvent(CHAT, where(hasContent), put('/choices/0/delta/content', 'Here you are.')),
  },
});

function doubled(choices: Json | undefined): Json {
  const all = Array.isArray(choices) ? choices : [];
  return [...all, ...all.slice(0, 1)];
}

function goesOnAfter(content: string, stop: string): boolean {
  const found = content.indexOf(stop);
  return found !== -1 && found + stop.length < content.length;
}

function goOn(exchange: Exchange, content: (stop: string) => string): Exchange {
  const [stop] = stopsOf(exchange.request.body.json?.value);
  if (stop === undefined) return exchange;
  return withAnswer(exchange, put('/choices/0/message/content', content(stop)));
}

function isWholeText(choice: ReplyChoice): boolean {
  return isWhole(choice) && typeof choice.content === 'string';
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

function hasContent(data: Json): boolean {
  return text(data, 'choices', 0, 'delta', 'content') !== undefined;
}

export const saysSomething = requirement({
  id: 'chat.reply.text-or-calls',
  level: 'MUST',
  basis: 'implied',
  spec: '2 What the service does',
  says: 'A reply that ended by itself has text or calls functions.',
  on: only(
    replies(),
    ({ choices, streamed }) => !streamed && choices.some(({ finish }) => finish === 'stop'),
  ),
  check: ({ call, choices }) =>
    choices
      .filter(
        ({ finish, content, calls }) =>
          finish === 'stop' && typeof content !== 'string' && calls.length === 0,
      )
      // What a model says in other fields, such as a refusal, is not shown.
      .filter(({ at }) => !saysElsewhere(at, call.answer))
      .map(({ at, content }) => ({
        at: `${at}/message/content`,
        expected: 'text, or calls of functions',
        actual: content,
      })),
  breaks: {
    'content null': inAnswer(CHAT, put('/choices/*/message', { role: 'assistant', content: null })),
    'no content': inAnswer(CHAT, put('/choices/*/message', { role: 'assistant' })),
  },
});

function saysElsewhere(at: string, answer: Json | undefined): boolean {
  const message = get(answer, 'choices', Number(at.split('/').at(-1)), 'message');
  const others = Object.entries(isObject(message) ? message : {}).filter(
    ([name]) => !['role', 'content', 'tool_calls'].includes(name),
  );
  return others.some(([, value]) => value !== null && value !== '');
}
