import { tryParseJson } from '../../schemas/json.ts';
import { rowOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { isObject, textAt } from '../vocabulary/json.ts';
import { asks, that, where, withCompliance } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Condition, Json, Selector, Violation, WithCompliance } from '../vocabulary/types.ts';
import { forcedFunctionName } from './completions.ts';
import { type ChatReply, chatReplies, isCompleteChoice, placeInMessage } from './replies.ts';

const CHAT = 'createChatCompletion';

const withCompleteChoice = that<ChatReply>(
  'that ended a choice with finish_reason "stop" or "tool_calls"',
  ({ choices }) => choices.some(isCompleteChoice),
);

const namesFunction = that<ChatReply>(
  'whose tool_choice names a function',
  ({ asked }) => forcedFunctionName(asked) !== undefined,
);

const requiresCalls = asks('tool_choice', 'required');

const plainReplies = where(
  chatReplies,
  that('that is not streamed', ({ streamed }) => !streamed),
  withCompleteChoice,
);

const streamedReplies = where(
  chatReplies,
  that('that is streamed', ({ streamed }) => streamed),
  withCompleteChoice,
);

/**
 * The model may choose to answer in words, unless the finish_reason indicates calls, or the target enforces
 * tool_choice in another reply, streamed or not.
 */
function markIfModelChose(
  { isCompliedElsewhere }: WithCompliance<ChatReply>,
  finish: string | null | undefined,
): { readonly inconclusive?: 'model' } {
  return isCompliedElsewhere || finish === 'tool_calls' ? {} : { inconclusive: 'model' };
}

function hasCall({ choices }: ChatReply): boolean {
  return choices.some((choice) => isCompleteChoice(choice) && choice.calls.length > 0);
}

function repliesWith(
  condition: Condition<ChatReply>,
  form: Selector<ChatReply>,
  otherForm: Selector<ChatReply>,
): Selector<WithCompliance<ChatReply>> {
  return withCompliance(where(form, condition), hasCall, where(otherForm, condition));
}

/** Reports each complete choice that does not call the forced function or, for `every`, also calls others. */
function forcedViolations(reply: WithCompliance<ChatReply>, needed: 'some' | 'every'): readonly Violation[] {
  const name = forcedFunctionName(reply.asked);
  return reply.choices
    .filter(isCompleteChoice)
    .filter(({ calls }) => calls.length === 0 || !calls[needed]((call) => nameOf(call) === name))
    .map(({ at, calls, finish }) => ({
      at: placeInMessage(reply, at, 'tool_calls'),
      expected: `calls of ${name}`,
      actual: calls.map((call) => nameOf(call) ?? null),
      ...(calls.length === 0 ? markIfModelChose(reply, finish) : {}),
    }));
}

function missingCallViolations(reply: WithCompliance<ChatReply>): readonly Violation[] {
  return reply.choices
    .filter((choice) => isCompleteChoice(choice) && choice.calls.length === 0)
    .map(({ at, finish }) => ({
      at: placeInMessage(reply, at, 'tool_calls'),
      expected: 'at least one call',
      actual: [],
      ...markIfModelChose(reply, finish),
    }));
}

export const chatToolsForcedFunctionCalled = rowOf('chat.tools.forced-function-called', {
  evidence: repliesWith(namesFunction, plainReplies, streamedReplies),
  check: (reply) => forcedViolations(reply, 'some'),
});

export const chatToolsRequiredCallsSome = rowOf('chat.tools.required-calls-some', {
  evidence: repliesWith(requiresCalls, plainReplies, streamedReplies),
  check: missingCallViolations,
});

export const chatStreamForcedFunctionCalled = rowOf('chat.stream.forced-function-called', {
  evidence: repliesWith(namesFunction, streamedReplies, plainReplies),
  check: (reply) => forcedViolations(reply, 'every'),
});

export const chatStreamRequiredCallsSome = rowOf('chat.stream.required-calls-some', {
  evidence: repliesWith(requiresCalls, streamedReplies, plainReplies),
  check: missingCallViolations,
});

export const chatToolsArgumentsOnceEncoded = rowOf('chat.tools.arguments-once-encoded', {
  evidence: chatReplies,
  check: ({ choices }) =>
    choices.filter(isCompleteChoice).flatMap(({ at, calls }) =>
      calls.flatMap((call, i) => {
        const text = textAt(call, 'function', 'arguments');
        const value = text === undefined ? undefined : tryParseJson(text);
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

function nameOf(call: Json): string | undefined {
  return textAt(call, 'function', 'name');
}
