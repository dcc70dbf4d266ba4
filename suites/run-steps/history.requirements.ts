import { isAnother, isEmpty } from '../generate/compare.ts';
import { type RepeatedObject, wasCompleted } from '../runs/selectors/repeated-objects.ts';
import { setIn } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { functionCalls, LIST_STEPS, RETRIEVE_STEP, repeatedSteps } from './steps.ts';

const { implied } = section('1 Run step');
const TOKENS = ['prompt_tokens', 'completion_tokens', 'total_tokens'];

export const runStepsSameIdentity = implied('run-steps.same.identity', {
  says: 'A step has the same time, type, run, thread and assistant in every response that shows it.',
  selector: repeatedSteps,
  check: (found) => changed(found, ['created_at', 'type', 'run_id', 'thread_id', 'assistant_id']),
  mutations: {
    'another time': setIn(RETRIEVE_STEP, '/created_at', 1),
    'another type': setIn(LIST_STEPS, '/data/*/type', other),
    'another run': setIn(RETRIEVE_STEP, '/run_id', 'run_other'),
    'another thread': setIn(LIST_STEPS, '/data/*/thread_id', 'thread_other'),
    'another assistant': setIn(RETRIEVE_STEP, '/assistant_id', 'asst_other'),
  },
});

export const runStepsStatesPath = implied('run-steps.states.path', {
  says: 'A completed step is never in progress again.',
  selector: where(repeatedSteps, wasCompleted),
  check: ({ later }) => {
    const status = textAt(later.value, 'status');
    // Where else a step may go from here is not shown.
    return status === 'in_progress' ? [violation(`${later.at}/status`, 'completed, as it was', status)] : [];
  },
  mutations: {
    'in progress again': setIn(RETRIEVE_STEP, '/status', 'in_progress'),
    'in progress again in the list': setIn(LIST_STEPS, '/data/*/status', 'in_progress'),
  },
});

/** Both are over, so nothing about the step can change any more. */
const completed = where(
  repeatedSteps,
  wasCompleted,
  that('completed the second time', ({ later }) => valueAtPath(later.value, 'status') === 'completed'),
);

export const runStepsSameOutcome = implied('run-steps.same.outcome', {
  says: 'A completed step has the same time of completion, usage and message in every response that shows it.',
  selector: completed,
  check: (found) => [
    ...changed(found, ['completed_at']),
    ...changedAt(found, ['step_details', 'message_creation', 'message_id']),
    ...TOKENS.flatMap((field) => changedAt(found, ['usage', field])),
  ],
  mutations: {
    'another time': setIn(RETRIEVE_STEP, '/completed_at', 1),
    'other usage': setIn(LIST_STEPS, '/data/*/usage/total_tokens', 123_456),
    'another message': setIn(RETRIEVE_STEP, '/step_details/message_creation/message_id', 'msg_other'),
  },
});

const withMetadata = that<RepeatedObject>(
  'with metadata both times',
  ({ earlier, later }) => !hasNoMetadata(earlier) && !hasNoMetadata(later),
);

/** No operation changes the metadata of a step. No pairs may read as null or as an empty map. */
export const runStepsSameMetadata = implied('run-steps.same.metadata', {
  says: 'A step has the same metadata in every response that shows it.',
  selector: where(repeatedSteps, withMetadata),
  check: (found) => {
    const pairs = [found.earlier, found.later].map(({ value }) => valueAtPath(value, 'metadata') ?? null);
    return pairs.every(isEmpty) ? [] : changed(found, ['metadata']);
  },
  mutations: {
    'other pairs when retrieved': setIn(RETRIEVE_STEP, '/metadata', { other: 'pair' }),
    'other pairs in the list': setIn(LIST_STEPS, '/data/*/metadata', { other: 'pair' }),
  },
});

export const runStepsSameCalls = implied('run-steps.same.calls', {
  says: 'Function calls of a step keep their ids and names, and their arguments only grow.',
  selector: where(
    repeatedSteps,
    that('with calls of functions', ({ earlier }) => functionCalls(earlier.value).length > 0),
  ),
  check: ({ earlier, later }) => {
    const now = functionCalls(later.value);
    return functionCalls(earlier.value).flatMap((call): Violation[] => {
      const again = now.find((one) => valueAtPath(one, 'id') === valueAtPath(call, 'id'));
      if (again !== undefined && continues(call, again)) return [];
      const expected = `${JSON.stringify(call)}, as in ${earlier.call.exchange.id}`;
      return [violation(`${later.at}/step_details/tool_calls`, expected, again ?? now)];
    });
  },
  mutations: {
    'no calls': setIn(RETRIEVE_STEP, '/step_details/tool_calls', []),
    'another name': setIn(RETRIEVE_STEP, '/step_details/tool_calls/*/function/name', 'nobody_knows'),
    'other arguments': setIn(LIST_STEPS, '/data/*/step_details/tool_calls/*/function/arguments', '{}'),
    'arguments cut off': setIn(RETRIEVE_STEP, '/step_details/tool_calls/*/function/arguments', '{'),
    'another id': setIn(RETRIEVE_STEP, '/step_details/tool_calls/*/id', 'call_other'),
  },
});

function hasNoMetadata({ value }: RepeatedObject['earlier']): boolean {
  return valueAtPath(value, 'metadata') === undefined;
}

function changed(found: RepeatedObject, fields: readonly string[]): Violation[] {
  return fields.flatMap((field) => changedAt(found, [field]));
}

function changedAt({ earlier, later }: RepeatedObject, steps: readonly string[]): Violation[] {
  const [before, now] = [valueAtPath(earlier.value, ...steps), valueAtPath(later.value, ...steps)];
  if (!isAnother(before, now)) return [];
  const expected = `${JSON.stringify(before)}, as in ${earlier.call.exchange.id}`;
  return [violation(`${later.at}/${steps.join('/')}`, expected, now)];
}

/** Whether a call is the same one, further on. */
function continues(call: Json, again: Json): boolean {
  const before = textAt(call, 'function', 'arguments') ?? '';
  const now = textAt(again, 'function', 'arguments') ?? '';
  return (
    valueAtPath(call, 'function', 'name') === valueAtPath(again, 'function', 'name') && now.startsWith(before)
  );
}

function other(type: Json | undefined): Json {
  return type === 'tool_calls' ? 'message_creation' : 'tool_calls';
}
