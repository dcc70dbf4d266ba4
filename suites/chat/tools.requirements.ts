import { rowOf } from '../rows/rows.ts';
import { allEdits, isSuccessOf, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, that, where, withCompliance } from '../vocabulary/selectors.ts';
import type { Json, Mutation, WithCompliance } from '../vocabulary/types.ts';
import { type ChatReply, chatReplies, isCompleteChoice } from './replies.ts';

const CHAT = 'createChatCompletion';

/** Replies that may have to call: the specification does not show streamed calls, and a reply that was cut off may lack them. */
const finished = where(
  chatReplies,
  that('in one piece', ({ streamed }) => !streamed),
  that('that ended a choice with finish_reason "stop" or "tool_calls"', ({ choices }) =>
    choices.some(isCompleteChoice),
  ),
);

/**
 * Whether the model may have answered in words by its own choice. A reply whose finish_reason is that of calls has not refused them,
 * and a target that enforces the choice in one reply leaves it to the model in none.
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

export const chatToolsForcedFunctionCalled = rowOf('chat.tools.forced-function-called', {
  evidence: withCompliance(
    where(
      finished,
      that('whose tool_choice names a function', ({ asked }) => forcedName(asked) !== undefined),
    ),
    isCalling,
  ),
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
  broken_by: { 'one is answered in words': lastInWords((asked) => forcedName(asked) !== undefined) },
});

export const chatToolsRequiredCallsSome = rowOf('chat.tools.required-calls-some', {
  evidence: withCompliance(where(finished, asks('tool_choice', 'required')), isCalling),
  check: (reply) =>
    reply.choices
      .filter((choice) => isCompleteChoice(choice) && choice.calls.length === 0)
      .map(({ at, finish }) => ({
        at: `${at}/message/tool_calls`,
        expected: 'at least one call',
        actual: [],
        ...ownChoice(reply, finish),
      })),
  broken_by: {
    'one is answered in words': lastInWords((asked) => textAt(asked, 'tool_choice') === 'required'),
  },
});

/** Answers the last request of this kind in words. */
function lastInWords(fits: (asked: Json | undefined) => boolean): Mutation {
  const edit = allEdits(
    setValue('/choices/*/message', { role: 'assistant', content: 'It is warm.' }),
    setValue('/choices/*/finish_reason', 'stop'),
  );
  return (trace) => {
    const last = trace.findLast((exchange) => {
      const asked = exchange.request.body.json?.value;
      return isSuccessOf(exchange, CHAT) && valueAtPath(asked, 'stream') !== true && fits(asked);
    });
    if (last === undefined) return null;
    return trace.map((exchange) => (exchange === last ? withResponseJson(exchange, edit) : exchange));
  };
}

function nameOf(call: Json): string | undefined {
  return textAt(call, 'function', 'name');
}

function forcedName(asked: Json | undefined): string | undefined {
  return textAt(asked, 'tool_choice', 'function', 'name');
}
