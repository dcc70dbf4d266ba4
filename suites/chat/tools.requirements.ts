import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { everywhere, inAnswer } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { all, put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { isWhole, mayBeCut, type Reply, replies, stopsOf } from './replies.ts';

const CHAT = 'createChatCompletion';
const NO_CALLS = put('/choices/*/message/tool_calls', []);
const A_CALL = put('/choices/*/message/tool_calls', [
  { id: 'call_1', type: 'function', function: { name: 'nobody_knows', arguments: '{}' } },
]);

/** How calls are streamed is not shown, so only whole replies are judged. */
const whole = only(replies(), ({ streamed }) => !streamed);

/** A reply that was cut off may lack its calls, or the end of their arguments. */
const finished = only(whole, ({ choices }) => choices.some(isWhole));

/** A model may answer in words all the same. One that ends for the sake of its calls has not refused them. */
function ownChoice(finish: string | null | undefined): { readonly inconclusive?: 'model' } {
  return finish === 'tool_calls' ? {} : { inconclusive: 'model' };
}

export const forced = requirement({
  id: 'chat.tools.forced-function-called',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'A function that tool_choice names is called, and no other.',
  on: only(finished, ({ asked }) => forcedName(asked) !== undefined),
  check: ({ choices, asked }) =>
    choices
      .filter(isWhole)
      .filter(({ calls }) => calls.length === 0 || !calls.every((call) => nameOf(call) === forcedName(asked)))
      .map(({ at, calls, finish }) => ({
        at: `${at}/message/tool_calls`,
        expected: `calls of ${forcedName(asked)}`,
        actual: calls.map((call) => nameOf(call) ?? null),
        ...(calls.length === 0 ? ownChoice(finish) : {}),
      })),
  breaks: {
    'not called': inAnswer(CHAT, NO_CALLS),
    'another is called': inAnswer(CHAT, put('/choices/*/message/tool_calls/*/function/name', 'nobody_knows')),
  },
});

export const required = requirement({
  id: 'chat.tools.required-calls-some',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'A reply calls some function if tool_choice is required.',
  on: only(finished, ({ asked }) => text(asked, 'tool_choice') === 'required'),
  check: ({ choices }) =>
    choices
      .filter((choice) => isWhole(choice) && choice.calls.length === 0)
      .map(({ at, finish }) => ({
        at: `${at}/message/tool_calls`,
        expected: 'at least one call',
        actual: [],
        ...ownChoice(finish),
      })),
  breaks: {
    'none is called': inAnswer(CHAT, NO_CALLS),
    'calls are left out': inAnswer(CHAT, remove('/choices/*/message/tool_calls')),
  },
});

export const none = requirement({
  id: 'chat.tools.none-calls-none',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'A reply calls no function if tool_choice is none.',
  on: only(whole, ({ asked }) => text(asked, 'tool_choice') === 'none'),
  check: noCalls,
  breaks: { 'one is called': inAnswer(CHAT, A_CALL), 'a given one is called': callGiven },
});

export const withoutTools = requirement({
  id: 'chat.tools.no-tools-no-calls',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Chat completions',
  says: 'A reply calls no function if the request gives no tools.',
  on: only(whole, ({ asked }) => list(asked, 'tools').length === 0),
  check: noCalls,
  breaks: { 'one is called': inAnswer(CHAT, A_CALL), 'a given one is called': callGiven },
});

export const known = requirement({
  id: 'chat.tools.only-given-functions',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'A reply calls only functions that the request gives.',
  on: only(whole, (reply) => offered(reply.asked).length > 0 && callsOf(reply).length > 0),
  check: (reply) =>
    callsOf(reply)
      .filter(({ call }) => !offered(reply.asked).includes(nameOf(call) ?? ''))
      .map(({ at, call }) => ({
        at: `${at}/function/name`,
        expected: `one of ${offered(reply.asked).join(', ')}`,
        actual: nameOf(call),
      })),
  breaks: {
    'an unknown one': inAnswer(CHAT, put('/choices/*/message/tool_calls/*/function/name', 'nobody_knows')),
    'a longer name': inAnswer(
      CHAT,
      put('/choices/*/message/tool_calls/*/function/name', (name) => `functions.${name}`),
    ),
    'an unknown one beside it': inAnswer(
      CHAT,
      put('/choices/0/message/tool_calls', (calls) => [
        ...list(calls),
        ...list(calls).map(all(put('/id', 'call_more'), put('/function/name', 'nobody_knows'))),
      ]),
    ),
  },
});

export const jsonArguments = requirement({
  id: 'chat.tools.arguments-are-json',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Chat completion',
  says: 'The arguments of a call are JSON text, unless the reply is cut off.',
  // A stop sequence of the caller may cut them off as well.
  on: only(
    finished,
    (reply) => callsOf(reply).length > 0 && stopsOf(reply.asked).length === 0 && !mayBeCut(reply),
  ),
  check: (reply) =>
    callsOf(reply)
      .filter(({ call, finish }) => isWhole({ finish }) && !isJson(text(call, 'function', 'arguments')))
      .map(({ at, call }) => ({
        at: `${at}/function/arguments`,
        expected: 'JSON text',
        actual: get(call, 'function', 'arguments'),
      })),
  breaks: {
    'half of it': inAnswer(CHAT, put('/choices/*/message/tool_calls/*/function/arguments', '{"city": ')),
    prose: inAnswer(CHAT, put('/choices/*/message/tool_calls/*/function/arguments', 'the city of Paris')),
  },
});

export const callIds = requirement({
  id: 'chat.tools.call-ids-differ',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completion',
  says: 'The calls of one choice have different ids.',
  on: only(whole, (reply) => callsOf(reply).length > 0),
  check: ({ choices }) =>
    choices.flatMap(({ at, calls }) => {
      const ids = calls.map((call) => text(call, 'id'));
      return ids.flatMap((id, i) =>
        ids.indexOf(id) === i
          ? []
          : [{ at: `${at}/message/tool_calls/${i}/id`, expected: 'an id of its own', actual: id }],
      );
    }),
  breaks: {
    'the same call twice': inAnswer(
      CHAT,
      put('/choices/0/message/tool_calls', (calls) => [...list(calls), ...list(calls)]),
    ),
    'another call of the same id': inAnswer(
      CHAT,
      put('/choices/0/message/tool_calls', (calls) => [
        ...list(calls),
        ...list(calls).map(put('/function/arguments', '{}')),
      ]),
    ),
  },
});

/** Calls the first function that the request gives, or one of any name. */
function callGiven(trace: readonly Exchange[]) {
  return everywhere(CHAT, (exchange) => {
    const name = offered(exchange.request.body.json?.value)[0] ?? 'lookup';
    const call = { id: 'call_1', type: 'function', function: { name, arguments: '{}' } };
    return withAnswer(exchange, put('/choices/0/message/tool_calls', [call]));
  })(trace);
}

function noCalls(reply: Reply) {
  return callsOf(reply).map(({ at, call }) => ({ at, expected: 'no call', actual: nameOf(call) }));
}

function callsOf({ choices }: Reply): { at: string; call: Json; finish: string | null | undefined }[] {
  return choices.flatMap(({ at, calls, finish }) =>
    calls.map((call, i) => ({ at: `${at}/message/tool_calls/${i}`, call, finish })),
  );
}

function nameOf(call: Json): string | undefined {
  return text(call, 'function', 'name');
}

function forcedName(asked: Json | undefined): string | undefined {
  return text(asked, 'tool_choice', 'function', 'name');
}

/** Names of the functions that a request gives. */
function offered(asked: Json | undefined): readonly string[] {
  return list(asked, 'tools').flatMap((tool) => text(tool, 'function', 'name') ?? []);
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
