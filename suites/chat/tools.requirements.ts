import { parsedJson } from '../../schemas/json.ts';
import { rowOf } from '../rows/rows.ts';
import {
  allEdits,
  inEveryResponse,
  isSuccessOf,
  removeValue,
  setIn,
  setValue,
} from '../vocabulary/changes.ts';
import { editFrame, withEvents, withResponseJson } from '../vocabulary/exchanges.ts';
import { isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, that, where, withCompliance } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type {
  Exchange,
  ExchangeEdit,
  Json,
  Mutation,
  Violation,
  WithCompliance,
} from '../vocabulary/types.ts';
import { forcedName } from './completions.ts';
import { type ChatReply, chatReplies, isCompleteChoice } from './replies.ts';

const CHAT = 'createChatCompletion';

const withCompleteChoice = that<ChatReply>(
  'that ended a choice with finish_reason "stop" or "tool_calls"',
  ({ choices }) => choices.some(isCompleteChoice),
);

const naming = that<ChatReply>(
  'whose tool_choice names a function',
  ({ asked }) => forcedName(asked) !== undefined,
);

const required = asks('tool_choice', 'required');

/** Replies that must contain calls, unless they were cut off before them. */
const whole = where(
  chatReplies,
  that('in one piece', ({ streamed }) => !streamed),
  withCompleteChoice,
);

/** Streams that must contain calls. The specification does not show how, so their requirements rest on clients. */
const streams = where(
  chatReplies,
  that('as a stream', ({ streamed }) => streamed),
  withCompleteChoice,
);

/**
 * Whether the model may have answered in words by its own choice. A reply whose finish_reason indicates calls has not
 * refused them, and a target that enforces the choice in any reply, streamed or not, never leaves it to the model.
 */
function ownChoice(
  { isCompliedElsewhere }: WithCompliance<ChatReply>,
  finish: string | null | undefined,
): { readonly inconclusive?: 'model' } {
  return isCompliedElsewhere || finish === 'tool_calls' ? {} : { inconclusive: 'model' };
}

function isCalling({ choices }: ChatReply): boolean {
  return choices.some((choice) => isCompleteChoice(choice) && choice.calls.length > 0);
}

/** `which`: how many of the calls must be of the forced function. */
function withoutForced(reply: WithCompliance<ChatReply>, which: 'some' | 'every'): readonly Violation[] {
  return reply.choices
    .filter(isCompleteChoice)
    .filter(
      ({ calls }) => calls.length === 0 || !calls[which]((call) => nameOf(call) === forcedName(reply.asked)),
    )
    .map(({ at, calls, finish }) => ({
      at: placeOfCalls(reply, at),
      expected: `calls of ${forcedName(reply.asked)}`,
      actual: calls.map((call) => nameOf(call) ?? null),
      ...(calls.length === 0 ? ownChoice(reply, finish) : {}),
    }));
}

function withoutCall(reply: WithCompliance<ChatReply>): readonly Violation[] {
  return reply.choices
    .filter((choice) => isCompleteChoice(choice) && choice.calls.length === 0)
    .map(({ at, finish }) => ({
      at: placeOfCalls(reply, at),
      expected: 'at least one call',
      actual: [],
      ...ownChoice(reply, finish),
    }));
}

function placeOfCalls({ streamed }: ChatReply, at: string): string {
  return streamed ? `${at}/delta/tool_calls` : `${at}/message/tool_calls`;
}

export const chatToolsForcedFunctionCalled = rowOf('chat.tools.forced-function-called', {
  evidence: withCompliance(where(whole, naming), isCalling, where(streams, naming)),
  check: (reply) => withoutForced(reply, 'some'),
  broken_by: { 'one is answered in words': lastInWords((asked) => forcedName(asked) !== undefined) },
});

export const chatToolsRequiredCallsSome = rowOf('chat.tools.required-calls-some', {
  evidence: withCompliance(where(whole, required), isCalling, where(streams, required)),
  check: withoutCall,
  broken_by: { 'one is answered in words': lastInWords(isRequired) },
});

export const chatStreamForcedFunctionCalled = rowOf('chat.stream.forced-function-called', {
  evidence: withCompliance(where(streams, naming), isCalling, where(whole, naming)),
  check: (reply) => withoutForced(reply, 'every'),
  broken_by: {
    'one is answered in words': lastStreamInWords((asked) => forcedName(asked) !== undefined),
    'each is answered in words': eachStreamInWords((asked) => forcedName(asked) !== undefined),
  },
});

export const chatStreamRequiredCallsSome = rowOf('chat.stream.required-calls-some', {
  evidence: withCompliance(where(streams, required), isCalling, where(whole, required)),
  check: withoutCall,
  broken_by: {
    'one is answered in words': lastStreamInWords(isRequired),
    'each is answered in words': eachStreamInWords(isRequired),
  },
});

export const chatToolsArgumentsOnceEncoded = rowOf('chat.tools.arguments-once-encoded', {
  evidence: chatReplies,
  check: ({ choices }) =>
    choices.filter(isCompleteChoice).flatMap(({ at, calls }) =>
      calls.flatMap((call, i) => {
        const text = textAt(call, 'function', 'arguments');
        const value = text === undefined ? undefined : parsedJson(text);
        return value === undefined || isObject(value)
          ? []
          : [violation(`${at}/message/tool_calls/${i}/function/arguments`, 'an object', value)];
      }),
    ),
  broken_by: {
    'encoded twice': setIn(CHAT, '/choices/*/message/tool_calls/*/function/arguments', (old) =>
      JSON.stringify(old),
    ),
  },
});

/** Makes the reply to the last non-streamed request of this kind plain words. */
function lastInWords(fits: (asked: Json | undefined) => boolean): Mutation {
  const edit = allEdits(
    setValue('/choices/*/message', { role: 'assistant', content: 'It is warm.' }),
    setValue('/choices/*/finish_reason', 'stop'),
  );
  return inLast(
    (asked) => !isStreamed(asked) && fits(asked),
    (exchange) => withResponseJson(exchange, edit),
  );
}

/** Like `lastInWords`, for streamed requests. */
function lastStreamInWords(fits: (asked: Json | undefined) => boolean): Mutation {
  return inLast((asked) => isStreamed(asked) && fits(asked), streamInWords);
}

/** Makes the reply to every streamed request of this kind plain words. */
function eachStreamInWords(fits: (asked: Json | undefined) => boolean): Mutation {
  return inEveryResponse(CHAT, (exchange) => {
    const asked = exchange.request.body.json?.value;
    return isStreamed(asked) && fits(asked) ? streamInWords(exchange) : exchange;
  });
}

function streamInWords(exchange: Exchange): Exchange {
  const edit = allEdits(
    removeValue('/choices/*/delta/tool_calls'),
    setValue('/choices/*/finish_reason', (old) => (old === 'tool_calls' ? 'stop' : (old ?? null))),
  );
  return withEvents(exchange, (frames) => frames.map((frame) => editFrame(frame, edit)));
}

function inLast(fits: (asked: Json | undefined) => boolean, edit: ExchangeEdit): Mutation {
  return (trace) => {
    const last = trace.findLast(
      (exchange) => isSuccessOf(exchange, CHAT) && fits(exchange.request.body.json?.value),
    );
    if (last === undefined) return null;
    return trace.map((exchange) => (exchange === last ? edit(exchange) : exchange));
  };
}

function isStreamed(asked: Json | undefined): boolean {
  return valueAtPath(asked, 'stream') === true;
}

function isRequired(asked: Json | undefined): boolean {
  return textAt(asked, 'tool_choice') === 'required';
}

function nameOf(call: Json): string | undefined {
  return textAt(call, 'function', 'name');
}
