import {
  allEdits,
  inEveryResponse,
  inResponse,
  isSuccessOf,
  removeIn,
  setIn,
  setValue,
} from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, that, where, withCompliance } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, Mutation, WithCompliance } from '../vocabulary/types.ts';
import {
  type ChatReply,
  chatReplies,
  inOnePiece,
  isCompleteChoice,
  uncut,
  unstopped,
  withCalls,
  withCompleteChoice,
} from './selectors/replies.ts';

const { implied } = section('2 Chat completions');
const chatCompletion = section('2 Chat completion');
const CHAT = 'createChatCompletion';
const NO_CALLS = setValue('/choices/*/message/tool_calls', []);
const A_CALL = setValue('/choices/*/message/tool_calls', [
  { id: 'call_1', type: 'function', function: { name: 'nobody_knows', arguments: '{}' } },
]);

/** Whole replies only: the specification does not show how calls are streamed. */
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

const naming = that<ChatReply>(
  'whose tool_choice names a function',
  ({ asked }) => forcedName(asked) !== undefined,
);

export const chatToolsForcedFunctionCalled = implied('chat.tools.forced-function-called', {
  says: 'A function that tool_choice names is called, and no other.',
  selector: withCompliance(where(finished, naming), isCalling),
  check: (reply) =>
    reply.choices
      .filter(isCompleteChoice)
      .filter(
        ({ calls }) => calls.length === 0 || !calls.every((call) => nameOf(call) === forcedName(reply.asked)),
      )
      .map(({ at, calls, finish }) => ({
        at: `${at}/message/tool_calls`,
        expected: `calls of ${forcedName(reply.asked)}`,
        actual: calls.map((call) => nameOf(call) ?? null),
        ...(calls.length === 0 ? ownChoice(reply, finish) : {}),
      })),
  mutations: {
    'not called': inResponse(CHAT, NO_CALLS),
    'one is answered in words': lastInWords((asked) => forcedName(asked) !== undefined),
    'another is called': setIn(CHAT, '/choices/*/message/tool_calls/*/function/name', 'nobody_knows'),
  },
});

export const chatToolsRequiredCallsSome = implied('chat.tools.required-calls-some', {
  says: 'A reply calls some function if tool_choice is required.',
  selector: withCompliance(where(finished, asks('tool_choice', 'required')), isCalling),
  check: (reply) =>
    reply.choices
      .filter((choice) => isCompleteChoice(choice) && choice.calls.length === 0)
      .map(({ at, finish }) => ({
        at: `${at}/message/tool_calls`,
        expected: 'at least one call',
        actual: [],
        ...ownChoice(reply, finish),
      })),
  mutations: {
    'none is called': inResponse(CHAT, NO_CALLS),
    'one is answered in words': lastInWords(isRequired),
    'calls are left out': removeIn(CHAT, '/choices/*/message/tool_calls'),
  },
});

export const chatToolsNoneCallsNone = implied('chat.tools.none-calls-none', {
  says: 'A reply calls no function if tool_choice has the value none.',
  selector: where(whole, asks('tool_choice', 'none')),
  check: noCalls,
  mutations: { 'one is called': inResponse(CHAT, A_CALL), 'a given one is called': callGiven },
});

const withoutTools = that<ChatReply>('whose request gives no tools', ({ asked }) => givesNoTools(asked));

export const chatToolsNoToolsNoCalls = implied('chat.tools.no-tools-no-calls', {
  says: 'A reply calls no function if the request gives no tools.',
  selector: where(whole, withoutTools),
  check: noCalls,
  mutations: { 'one is called': inResponse(CHAT, A_CALL), 'a given one is called': callGiven },
});

const offering = that<ChatReply>('whose request gives a function', ({ asked }) => offered(asked).length > 0);

export const chatToolsOnlyGivenFunctions = implied('chat.tools.only-given-functions', {
  says: 'A reply calls only functions that the request gives.',
  selector: where(whole, offering, withCalls),
  check: (reply) =>
    callsOf(reply)
      .filter(({ call }) => !offered(reply.asked).includes(nameOf(call) ?? ''))
      .map(({ at, call }) =>
        violation(`${at}/function/name`, `one of ${offered(reply.asked).join(', ')}`, nameOf(call)),
      ),
  mutations: {
    'an unknown one': setIn(CHAT, '/choices/*/message/tool_calls/*/function/name', 'nobody_knows'),
    'a name with an addition': setIn(
      CHAT,
      '/choices/*/message/tool_calls/*/function/name',
      (name) => `functions.${name}`,
    ),
    'an additional unknown one': setIn(CHAT, '/choices/0/message/tool_calls', (calls) => [
      ...arrayAt(calls),
      ...arrayAt(calls).map(
        allEdits(setValue('/id', 'call_more'), setValue('/function/name', 'nobody_knows')),
      ),
    ]),
  },
});

export const chatToolsArgumentsAreJson = chatCompletion.stated('chat.tools.arguments-are-json', {
  says: 'The arguments of a call are JSON text, unless the reply is cut off.',
  // A stop sequence of the caller may cut them off as well.
  selector: where(finished, unstopped, withCalls, uncut),
  check: (reply) =>
    callsOf(reply)
      .filter(
        ({ call, finish }) => isCompleteChoice({ finish }) && !isJson(textAt(call, 'function', 'arguments')),
      )
      .map(({ at, call }) =>
        violation(`${at}/function/arguments`, 'JSON text', valueAtPath(call, 'function', 'arguments')),
      ),
  mutations: {
    'half of it': setIn(CHAT, '/choices/*/message/tool_calls/*/function/arguments', '{"city": '),
    prose: setIn(CHAT, '/choices/*/message/tool_calls/*/function/arguments', 'the city of Paris'),
  },
});

export const chatToolsCallIdsDiffer = chatCompletion.implied('chat.tools.call-ids-differ', {
  says: 'The calls of one choice have different ids.',
  selector: where(whole, withCalls),
  check: ({ choices }) =>
    choices.flatMap(({ at, calls }) => {
      const ids = calls.map((call) => textAt(call, 'id'));
      return ids.flatMap((id, i) =>
        ids.indexOf(id) === i ? [] : [violation(`${at}/message/tool_calls/${i}/id`, 'a different id', id)],
      );
    }),
  mutations: {
    'the same call twice': setIn(CHAT, '/choices/0/message/tool_calls', (calls) => [
      ...arrayAt(calls),
      ...arrayAt(calls),
    ]),
    'another call of the same id': setIn(CHAT, '/choices/0/message/tool_calls', (calls) => [
      ...arrayAt(calls),
      ...arrayAt(calls).map(setValue('/function/arguments', '{}')),
    ]),
  },
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

/** Whether a request leaves tools out: a value that is not a list is invalid, and asks for nothing in particular. */
function givesNoTools(asked: Json | undefined): boolean {
  const tools = valueAtPath(asked, 'tools') ?? [];
  return Array.isArray(tools) && tools.length === 0;
}

function noCalls(reply: ChatReply) {
  return callsOf(reply).map(({ at, call }) => violation(at, 'no call', nameOf(call)));
}

function callsOf({ choices }: ChatReply): { at: string; call: Json; finish: string | null | undefined }[] {
  return choices.flatMap(({ at, calls, finish }) =>
    calls.map((call, i) => ({ at: `${at}/message/tool_calls/${i}`, call, finish })),
  );
}

function nameOf(call: Json): string | undefined {
  return textAt(call, 'function', 'name');
}

function forcedName(asked: Json | undefined): string | undefined {
  return textAt(asked, 'tool_choice', 'function', 'name');
}

/** Names of the functions in a request. */
function offered(asked: Json | undefined): readonly string[] {
  return arrayAt(asked, 'tools').flatMap((tool) => textAt(tool, 'function', 'name') ?? []);
}

function isJson(value: string | undefined): boolean {
  if (value === undefined) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
