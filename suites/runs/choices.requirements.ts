import { containsRequested } from '../generate/relations/compare.ts';
import { UNKNOWN_MODEL } from '../models/samples.ts';
import { choiceOf } from '../rows/rows.ts';
import { setValue } from '../vocabulary/changes.ts';
import { outcome, refusal } from '../vocabulary/choice-shapes.ts';
import { arrayAt, deepEqual, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, decided, requests, settled, unprobed, unset, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';
import { followUps, isCompleteResponse } from './selectors/follow-ups.ts';
import { runsWithout } from './selectors/inheritance.ts';
import { givenMessages } from './selectors/messages.ts';
import { runResponseOf, runResponses } from './selectors/run.ts';
import { joinedMessageText } from './streams/deltas.ts';
import { editRuns, rejectRequests } from './streams/mutations.ts';
import { STREAMING_OPERATIONS } from './streams/run-stream.ts';

/** Settings of a run that no request sets. */
const STANDARD = { temperature: 1, top_p: 1, response_format: 'auto', tool_resources: {} } as const;

export const runsTruncationDefault = choiceOf('runs.truncation.default', {
  selector: where(runResponses, unset('truncation_strategy')),
  taken: ({ runs: [first] }) => {
    const strategy = valueAtPath(first?.run, 'truncation_strategy');
    if (strategy === undefined) return 'none told';
    return deepEqual(strategy, { type: 'auto', last_messages: null })
      ? '{type: auto, last_messages: null}'
      : 'another';
  },
  examples: {
    another: editRuns(setValue('/truncation_strategy', { type: 'last_messages', last_messages: 10 })),
  },
});

export const truncationAuto = truncation('auto');
export const truncationLast = truncation('last_messages');

export const runsAdditionalMessagesForm = choiceOf('runs.additional-messages.form', {
  selector: where(requests('createRun'), decided, ({ asked }) => {
    const messages = arrayAt(asked, 'additional_messages');
    return messages.length > 0 && messages.every((one) => textAt(one, 'content') !== undefined);
  }),
  taken: outcome('accepted'),
  examples: { refused: rejectRequests },
});

export const runsCallerMessagesRunId = choiceOf('runs.caller-messages.run-id', {
  selector: where(
    followUps(['listMessages']),
    ({ begun, after }) => isCompleteResponse(after) && given(begun.asked).length > 0,
  ),
  taken: ({ begun, answer }) => {
    const texts = given(begun.asked).map((message) => textAt(message, 'content'));
    const found = arrayAt(answer, 'data').filter(
      (one) => valueAtPath(one, 'role') === 'user' && texts.includes(joinedMessageText(one)),
    );
    if (found.length === 0) return null;
    return found.some((one) => (valueAtPath(one, 'run_id') ?? null) !== null) ? 'set' : 'null';
  },
});

export const runsAdditionalInstructionsTold = choiceOf('runs.additional-instructions.told', {
  selector: where(runResponses, ({ asked }) => (textAt(asked, 'additional_instructions') ?? '') !== ''),
  taken: ({ asked, runs: [first] }) => {
    const more = textAt(asked, 'additional_instructions') ?? '';
    return textAt(first?.run, 'instructions')?.includes(more) === true ? 'told' : 'not told';
  },
  examples: { 'not told': editRuns(setValue('/instructions', 'Do something else.')) },
});

export const temperature = inherited('temperature');
export const topP = inherited('top_p');
export const responseFormat = inherited('response_format');
export const toolResources = inherited('tool_resources');

export const runsToolChoiceOtherKinds = choiceOf('runs.tool-choice.other-kinds', {
  selector: where(requests(STREAMING_OPERATIONS), unprobed, asks('tool_choice.type', 'code_interpreter')),
  taken: refusal('accepted'),
});

export const runsModelUnknown = choiceOf('runs.model.unknown', {
  selector: where(requests(STREAMING_OPERATIONS), asks('model', UNKNOWN_MODEL), settled),
  taken: ({ call }) => {
    if (call.responseClass !== 'accepted') return 'refused';
    const states = runResponseOf(call)?.runs.map(({ run }) => textAt(run, 'status')) ?? [];
    return states.includes('failed') ? 'failed' : states.includes('completed') ? 'answered' : null;
  },
});

/** Whether a truncation strategy of this type can be requested, and whether the run shows it. */
function truncation(type: 'auto' | 'last_messages') {
  return choiceOf(`runs.truncation.${type.replaceAll('_', '-')}`, {
    selector: where(requests(STREAMING_OPERATIONS), asks('truncation_strategy.type', type), decided),
    taken: ({ asked, call }) => {
      const run = runResponseOf(call)?.runs[0]?.run;
      if (call.responseClass === 'rejected') return 'refused';
      const isKept = containsRequested(
        valueAtPath(asked, 'truncation_strategy'),
        valueAtPath(run, 'truncation_strategy'),
      );
      return isKept ? 'kept' : 'changed';
    },
    examples: {
      changed: editRuns(setValue('/truncation_strategy', { type: 'other' })),
      refused: rejectRequests,
    },
  });
}

/** The value of a run whose request does not set a setting of its assistant. */
function inherited(field: keyof typeof STANDARD) {
  const standard = STANDARD[field];
  return choiceOf(`runs.assistant.${field.replaceAll('_', '-')}`, {
    selector: where(runsWithout(field), ({ before }) => {
      const own = valueAtPath(before.responseJson, field) ?? null;
      return own !== null && !deepEqual(own, standard);
    }),
    taken: ({ before, after }) => {
      const value = valueAtPath(runResponseOf(after)?.runs[0]?.run, field);
      if (deepEqual(value, valueAtPath(before.responseJson, field))) return 'that of the assistant';
      return deepEqual(value, standard) ? 'the default' : 'another';
    },
    examples: { 'the default': editRuns(setValue(`/${field}`, standard)) },
  });
}

/** Messages of users that came with a run, as text. */
function given(asked: Json | undefined): readonly Json[] {
  return givenMessages(asked).filter(
    (one) => valueAtPath(one, 'role') === 'user' && textAt(one, 'content') !== undefined,
  );
}
