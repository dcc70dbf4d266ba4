import { rowOf } from '../rows/rows.ts';
import {
  allEdits,
  eventsWhere,
  inEvent,
  inEveryResponse,
  inResponse,
  isSuccessOf,
  removeIn,
  removeValue,
  setIn,
  setInEvent,
  setValue,
} from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, that, where, withCompliance } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, Mutation, Violation, WithCompliance } from '../vocabulary/types.ts';
import { everyPiece } from './chunks.ts';
import {
  type ChatReply,
  chatReplies,
  inOnePiece,
  inPieces,
  isCompleteChoice,
  uncut,
  unstopped,
  withCalls,
  withCompleteChoice,
} from './replies.ts';

const { implied } = section('2 Chat completions');

const CHAT = 'createChatCompletion';
/** The piece of a streamed call that has its name. */
const callHead = eventsWhere(
  (data) => textAt(data, 'choices', 0, 'delta', 'tool_calls', 0, 'function', 'name') !== undefined,
);
const NAME_OF_PIECE = '/choices/*/delta/tool_calls/*/function/name';
const NO_CALLS = setValue('/choices/*/message/tool_calls', []);

/** The specification does not show how calls are streamed: what holds of streams rests on clients. */
const whole = where(chatReplies, inOnePiece);

/** A reply that was cut off may lack its calls, or the end of their arguments. */
const finished = where(whole, withCompleteChoice);

/**
 * Whether the model may have answered in words instead of a call by its own choice. A reply that ends with the
 * finish_reason of calls has not refused them, and a target that enforces the choice in one reply leaves it to the
 * model in none.
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

function otherThanForced(reply: WithCompliance<ChatReply>): readonly Violation[] {
  return reply.choices
    .filter(isCompleteChoice)
    .filter(
      ({ calls }) => calls.length === 0 || !calls.every((call) => nameOf(call) === forcedName(reply.asked)),
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

const naming = that<ChatReply>(
  'whose tool_choice names a function',
  ({ asked }) => forcedName(asked) !== undefined,
);

export const chatToolsForcedFunctionCalled = implied('chat.tools.forced-function-called', {
  says: 'A function that tool_choice names is called, and no other.',
  selector: withCompliance(where(finished, naming), isCalling),
  check: otherThanForced,
  mutations: {
    'not called': inResponse(CHAT, NO_CALLS),
    'one is answered in words': lastInWords((asked) => forcedName(asked) !== undefined),
    'another is called': setIn(CHAT, '/choices/*/message/tool_calls/*/function/name', 'nobody_knows'),
  },
});

export const chatToolsRequiredCallsSome = implied('chat.tools.required-calls-some', {
  says: 'A reply calls some function if tool_choice is required.',
  selector: withCompliance(where(finished, asks('tool_choice', 'required')), isCalling),
  check: withoutCall,
  mutations: {
    'none is called': inResponse(CHAT, NO_CALLS),
    'one is answered in words': lastInWords(isRequired),
    'calls are left out': removeIn(CHAT, '/choices/*/message/tool_calls'),
  },
});

/** Streams that were not cut off. */
const finishedStreams = where(chatReplies, inPieces, withCompleteChoice);

export const chatStreamForcedFunctionCalled = rowOf('chat.stream.forced-function-called', {
  evidence: withCompliance(where(finishedStreams, naming), isCalling),
  check: (reply) => otherThanForced(reply),
  broken_by: {
    'one is answered in words': lastStreamInWords((asked) => forcedName(asked) !== undefined),
    'another is called': setInEvent(CHAT, callHead, NAME_OF_PIECE, 'nobody_knows'),
  },
});

export const chatStreamRequiredCallsSome = rowOf('chat.stream.required-calls-some', {
  evidence: withCompliance(where(finishedStreams, asks('tool_choice', 'required')), isCalling),
  check: (reply) => withoutCall(reply),
  broken_by: { 'one is answered in words': lastStreamInWords(isRequired) },
});

export const chatToolsArgumentsOnceEncoded = rowOf('chat.tools.arguments-once-encoded', {
  evidence: where(finished, unstopped, withCalls, uncut),
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

export const chatToolsNoneCallsNone = rowOf('chat.tools.none-calls-none', {
  evidence: chatReplies,
  broken_by: { 'a given one is called': callGiven },
});

export const chatToolsNoToolsNoCalls = rowOf('chat.tools.no-tools-no-calls', {
  evidence: chatReplies,
  broken_by: { 'a given one is called': callGiven },
});

export const chatToolsArgumentsAreJson = rowOf('chat.tools.arguments-are-json', {
  evidence: where(finished, unstopped, withCalls, uncut),
});

/** Answers the last request of this kind in words. */
function lastInWords(fits: (asked: Json | undefined) => boolean): Mutation {
  const edit = allEdits(
    setValue('/choices/*/message', { role: 'assistant', content: 'It is warm.' }),
    setValue('/choices/*/finish_reason', 'stop'),
  );
  return (trace) => {
    const last = trace.findLast(
      (exchange) =>
        isSuccessOf(exchange, CHAT) && isWhole(exchange) && fits(exchange.request.body.json?.value),
    );
    return last === undefined
      ? null
      : trace.map((exchange) => (exchange === last ? withResponseJson(exchange, edit) : exchange));
  };
}

/** Answers the last stream for a request of this kind in words. */
function lastStreamInWords(fits: (asked: Json | undefined) => boolean): Mutation {
  const inWords = allEdits(
    removeValue('/choices/*/delta/tool_calls'),
    setValue('/choices/*/finish_reason', (old) => (old === 'tool_calls' ? 'stop' : (old ?? null))),
  );
  return (trace) => {
    const last = trace.findLast(
      (exchange) =>
        isSuccessOf(exchange, CHAT) && !isWhole(exchange) && fits(exchange.request.body.json?.value),
    );
    const edited = last === undefined ? null : inEvent(CHAT, everyPiece, inWords)([last]);
    return edited === null
      ? null
      : trace.map((exchange) => (exchange === last ? (edited[0] ?? exchange) : exchange));
  };
}

function isWhole({ request }: Exchange): boolean {
  return valueAtPath(request.body.json?.value, 'stream') !== true;
}

function isRequired(asked: Json | undefined): boolean {
  return textAt(asked, 'tool_choice') === 'required';
}

/** Adds a call of the first function of the request, or of an invented one. */
function callGiven(trace: readonly Exchange[]) {
  return inEveryResponse(CHAT, (exchange) => {
    const name = offered(exchange.request.body.json?.value)[0] ?? 'lookup';
    const call = { id: 'call_1', type: 'function', function: { name, arguments: '{}' } };
    return withResponseJson(exchange, setValue('/choices/0/message/tool_calls', [call]));
  })(trace);
}

function nameOf(call: Json): string | undefined {
  return textAt(call, 'function', 'name');
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // as: what JSON.parse returns
  } catch {
    return undefined;
  }
}

function forcedName(asked: Json | undefined): string | undefined {
  return textAt(asked, 'tool_choice', 'function', 'name');
}

/** Names of the functions in a request. */
function offered(asked: Json | undefined): readonly string[] {
  return arrayAt(asked, 'tools').flatMap((tool) => textAt(tool, 'function', 'name') ?? []);
}
