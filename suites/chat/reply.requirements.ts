import { rowOf } from '../rows/rows.ts';
import { inEveryResponse, setIn, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { isObject, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { isJsonBeginning } from '../vocabulary/json-beginning.ts';
import { asks, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json } from '../vocabulary/types.ts';
import { choicesInWords } from './chunks.ts';
import {
  allChatReplies,
  type ChatReply,
  chatReplies,
  inOnePiece,
  isCompleteChoice,
  mayBeCut,
  type ReplyChoice,
  repliesTo,
  stopsOf,
  unstopped,
  withCompleteChoice,
} from './replies.ts';

const { implied } = section('2 Chat completions');

const CHAT = 'createChatCompletion';

export const chatReplyChoicesAsAsked = rowOf('chat.reply.choices-as-asked', {
  evidence: allChatReplies,
  check: ({ choices, asked }) => {
    const given = valueAtPath(asked, 'n');
    // An invalid n is left out: its rejection is judged by another requirement.
    if (given !== undefined && given !== null && typeof given !== 'number') return [];
    const n = given ?? 1;
    return choices.length === n ? [] : [violation('/choices', choicesInWords(n), choices.length)];
  },
});

export const chatReplyTokensBounded = rowOf('chat.reply.tokens-bounded', {
  evidence: chatReplies,
  check: ({ asked, usage }) => {
    const used = numberAt(usage, 'completion_tokens') ?? 0;
    const all = (numberAt(asked, 'max_tokens') ?? 0) * (numberAt(asked, 'n') ?? 1);
    return used <= all ? [] : [violation('/usage/completion_tokens', `at most ${all}`, used)];
  },
});

export const chatReplyNothingAfterStop = implied('chat.reply.nothing-after-stop', {
  says: 'Nothing follows a stop sequence in a reply.',
  byChance: true,
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
/** A text that is cut off but may still become JSON shows nothing. */
const withTextToJudge = that<ChatReply>(
  'that ended a choice of text with finish_reason "stop" or "tool_calls", or was cut off in a text that cannot become JSON',
  (reply) =>
    reply.choices.some((choice) => (isWholeText(choice) && !mayBeCut(reply)) || isCutFromOther(choice)),
);

export const chatReplyJsonModeIsJson = rowOf('chat.reply.json-mode-is-json', {
  evidence: where(
    allChatReplies,
    asks('response_format.type', 'json_object'),
    unstopped,
    withText,
    withTextToJudge,
  ),
  check: (reply) =>
    reply.choices
      .filter(
        (choice) =>
          (isWholeText(choice) && !mayBeCut(reply) && !isJson(choice.content ?? '')) ||
          isCutFromOther(choice),
      )
      .map(({ at, content }) => violation(`${at}/message/content`, 'valid JSON', content ?? null)),
});

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

/** Whether a text was cut off that is not the beginning of JSON. */
function isCutFromOther({ finish, content }: ReplyChoice): boolean {
  return finish === 'length' && typeof content === 'string' && !isJsonBeginning(content);
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

export const chatReplyTextOrCalls = implied('chat.reply.text-or-calls', {
  spec: '2 What the service does',
  says: 'A reply that ended by itself has text or calls functions.',
  byChance: true,
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

function saysElsewhere(at: string, answer: Json | undefined): boolean {
  const message = valueAtPath(answer, 'choices', Number(at.split('/').at(-1)), 'message');
  const others = Object.entries(isObject(message) ? message : {}).filter(
    ([name]) => !['role', 'content', 'tool_calls'].includes(name),
  );
  return others.some(([, value]) => value !== null && value !== '');
}
