import {
  eventsWhere,
  inEveryResponse,
  inLastResponse,
  removeIn,
  setIn,
  setInEvent,
  setValue,
} from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, asksNumber, idReuses, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, Violation } from '../vocabulary/types.ts';
import { choicesInWords, repeatedIndexes } from './selectors/chunks.ts';
import { everyChunk, firstPiece, usageChunk } from './selectors/picks.ts';
import {
  allChatReplies,
  type ChatReply,
  chatReplies,
  inOnePiece,
  isCompleteChoice,
  type ReplyChoice,
  repliesTo,
  stopsOf,
  uncut,
  unstopped,
  withCalls,
  withCompleteChoice,
  withUsedTokens,
} from './selectors/replies.ts';

const { stated, implied } = section('2 Chat completions');
const chatCompletion = section('2 Chat completion');
const CHAT = 'createChatCompletion';

export const chatReplyIdUnique = chatCompletion.stated('chat.reply.id-unique', {
  says: 'Two chat completions never have the same id.',
  selector: idReuses(CHAT),
  check: ({ id, earlier }) =>
    earlier === null ? [] : [violation('id', `an id other than that of ${earlier.id}`, id)],
  mutations: {
    'one id for all': setIn(CHAT, '/id', 'chatcmpl-same'),
    'one id for all streams': setInEvent(CHAT, everyChunk, '/id', 'chatcmpl-same'),
    'the first again at the end': inLastResponse(CHAT, (first) =>
      setValue('/id', valueAtPath(first, 'id') ?? null),
    ),
  },
});

export const chatReplyChoicesAsAsked = stated('chat.reply.choices-as-asked', {
  says: 'A reply has n choices, one unless n is given.',
  selector: allChatReplies,
  check: ({ choices, asked }) => {
    const given = valueAtPath(asked, 'n');
    // An invalid n is left out: its rejection is judged by another requirement.
    if (given !== undefined && given !== null && typeof given !== 'number') return [];
    const n = given ?? 1;
    return choices.length === n ? [] : [violation('/choices', choicesInWords(n), choices.length)];
  },
  mutations: {
    'one too few': removeIn(CHAT, '/choices/0'),
    'one too many': setIn(CHAT, '/choices', doubled),
    'one more in a stream': setInEvent(CHAT, firstPiece, '/choices/0/index', 7),
  },
});

export const chatReplyIndexesCountUp = chatCompletion.implied('chat.reply.indexes-count-up', {
  says: 'Each choice of a reply has a different index.',
  selector: chatReplies,
  check: ({ choices }) => repeatedIndexes(choices),
  mutations: {
    'all the same': setIn(CHAT, '/choices/*/index', 3),
    'the last as the first': setIn(CHAT, '/choices/1/index', 0),
  },
});

export const chatReplyTokensBounded = implied('chat.reply.tokens-bounded', {
  says: 'A choice is no longer than max_tokens tokens.',
  selector: where(chatReplies, asksNumber('max_tokens'), withUsedTokens),
  check: ({ asked, usage }) => {
    const used = numberAt(usage, 'completion_tokens') ?? 0;
    const all = (numberAt(asked, 'max_tokens') ?? 0) * (numberAt(asked, 'n') ?? 1);
    return used <= all ? [] : [violation('/usage/completion_tokens', `at most ${all}`, used)];
  },
  mutations: {
    'more than asked for': setIn(CHAT, '/usage/completion_tokens', 1_000_000),
    'more in a stream': setInEvent(CHAT, usageChunk, '/usage/completion_tokens', 1_000_000),
  },
});

export const chatReplyNothingAfterStop = implied('chat.reply.nothing-after-stop', {
  says: 'Nothing follows a stop sequence in a reply.',
  selector: repliesTo(that('whose request has stop sequences', (asked) => stopsOf(asked).length > 0)),
  check: ({ choices, asked }) =>
    stopsOf(asked).flatMap((stop) =>
      choices
        .filter(({ content }) => typeof content === 'string' && goesOnAfter(content, stop))
        // Where one sequence is a prefix of another, the longer one may have ended the reply.
        .filter(({ content }) => !stopsOf(asked).some((other) => content?.endsWith(other)))
        .map(({ at, content }) =>
          violation(`${at}/message/content`, `an end at ${JSON.stringify(stop)}`, content),
        ),
    ),
  mutations: {
    'goes on behind it': inEveryResponse(CHAT, (exchange) =>
      goOn(exchange, (stop) => `before ${stop} after`),
    ),
    'begins with it': inEveryResponse(CHAT, (exchange) => goOn(exchange, (stop) => `${stop} nevertheless`)),
  },
});

const withText = that<ChatReply>('with text in a choice', ({ choices }) =>
  choices.some(({ content }) => typeof content === 'string'),
);
const withWholeText = that<ChatReply>(
  'that ended a choice of text with finish_reason "stop" or "tool_calls"',
  ({ choices }) => choices.some(isWholeText),
);

export const chatReplyJsonModeIsJson = stated('chat.reply.json-mode-is-json', {
  says: 'In JSON mode a reply that is not cut off is valid JSON.',
  selector: where(
    allChatReplies,
    asks('response_format.type', 'json_object'),
    unstopped,
    withText,
    withWholeText,
    uncut,
  ),
  check: ({ choices }) =>
    choices
      .filter((choice) => isWholeText(choice) && !isJson(choice.content ?? ''))
      .map(({ at, content }) => violation(`${at}/message/content`, 'valid JSON', content ?? null)),
  mutations: {
    'half of it': setIn(CHAT, '/choices/*/message/content', '{"half": '),
    prose: setIn(CHAT, '/choices/*/message/content', 'Here you are.'),
    'prose in a stream': setInEvent(
      CHAT,
      eventsWhere(hasContent),
      '/choices/0/delta/content',
      'Here you are.',
    ),
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
  return withResponseJson(exchange, setValue('/choices/0/message/content', content(stop)));
}

function isWholeText(choice: ReplyChoice): boolean {
  return isCompleteChoice(choice) && typeof choice.content === 'string';
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
  return textAt(data, 'choices', 0, 'delta', 'content') !== undefined;
}

export const chatReplyTextOrCalls = implied('chat.reply.text-or-calls', {
  spec: '2 What the service does',
  says: 'A reply that ended by itself has text or calls functions.',
  selector: where(chatReplies, inOnePiece, withCompleteChoice),
  check: ({ call, choices }) =>
    choices
      .filter(
        (choice) =>
          isCompleteChoice(choice) && typeof choice.content !== 'string' && choice.calls.length === 0,
      )
      // The text of other fields, such as a refusal, is not specified.
      .filter(({ at }) => !saysElsewhere(at, call.responseJson))
      .map(({ at, content }) => violation(`${at}/message/content`, 'text, or calls of functions', content)),
  mutations: {
    'content null': setIn(CHAT, '/choices/*/message', { role: 'assistant', content: null }),
    'no content': setIn(CHAT, '/choices/*/message', { role: 'assistant' }),
    'calls announced, none made': setIn(CHAT, '/choices/*', (choice) => ({
      ...Object(choice),
      finish_reason: 'tool_calls',
      message: { role: 'assistant', content: null, tool_calls: [] },
    })),
  },
});

export const chatToolsCallIdsSet = chatCompletion.implied('chat.tools.call-ids-set', {
  says: 'Each call of a reply has an id that is not empty.',
  // Streams have no calls here, since the specification does not show how calls are streamed.
  selector: where(chatReplies, withCalls),
  check: ({ choices }) =>
    choices.flatMap(({ at, calls }) =>
      calls.flatMap((call, i) => emptyId(call, `${at}/message/tool_calls/${i}/id`)),
    ),
  mutations: {
    'all empty': setIn(CHAT, '/choices/*/message/tool_calls/*/id', ''),
    'the first empty': setIn(CHAT, '/choices/0/message/tool_calls/0/id', ''),
  },
});

function saysElsewhere(at: string, answer: Json | undefined): boolean {
  const message = valueAtPath(answer, 'choices', Number(at.split('/').at(-1)), 'message');
  const others = Object.entries(isObject(message) ? message : {}).filter(
    ([name]) => !['role', 'content', 'tool_calls'].includes(name),
  );
  return others.some(([, value]) => value !== null && value !== '');
}

/** The violation of a call whose id is there and empty. */
function emptyId(call: Json, at: string): Violation[] {
  return textAt(call, 'id') === '' ? [violation(at, 'an id', '')] : [];
}
