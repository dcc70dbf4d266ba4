import { type FollowUp, followUpsBy } from '../runs/selectors/follow-ups.ts';
import { removeIn, setIn } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { responses, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Violation } from '../vocabulary/types.ts';
import {
  LIST_STEPS,
  type PlacedStep,
  RETRIEVE_STEP,
  type StepResponse,
  stepResponses,
  stepsOf,
} from './steps.ts';

const { stated, implied } = section('1 Run step');
const LISTS = '1 Run steps';

export const runStepsOwnersOfPath = stated('run-steps.owners.of-path', {
  says: 'A step has the run_id and the thread_id in the path of its request.',
  selector: stepResponses,
  check: ({ call, steps }) =>
    steps.flatMap((step) =>
      ['run_id', 'thread_id'].flatMap((field) => otherwise(step, field, call.path[field])),
    ),
  mutations: {
    'another run in the list': setIn(LIST_STEPS, '/data/*/run_id', 'run_other'),
    'another thread in the list': setIn(LIST_STEPS, '/data/0/thread_id', 'thread_other'),
    'another run': setIn(RETRIEVE_STEP, '/run_id', 'run_other'),
    'another thread': setIn(RETRIEVE_STEP, '/thread_id', 'thread_other'),
  },
});

export const runStepsRetrieveAskedFor = implied('run-steps.retrieve.asked-for', {
  spec: LISTS,
  says: 'A retrieved step has the id in the path of its request.',
  selector: responses(RETRIEVE_STEP),
  check: ({ call, answer }) => otherwise({ at: '', value: answer }, 'id', call.path['step_id']),
  mutations: {
    'another step': setIn(RETRIEVE_STEP, '/id', 'step_other'),
    'no id': removeIn(RETRIEVE_STEP, '/id'),
  },
});

const withStep = that<FollowUp>('with a step', ({ after }) => stepsOf(after).length > 0);

export const runStepsOwnersAssistantOfRun = stated('run-steps.owners.assistant-of-run', {
  says: 'A step names the assistant of its run.',
  selector: where(followUpsBy([LIST_STEPS, RETRIEVE_STEP]), withStep),
  check: ({ after, run }) =>
    stepsOf(after).flatMap((step) => otherwise(step, 'assistant_id', textAt(run, 'assistant_id'))),
  mutations: {
    'another in the list': setIn(LIST_STEPS, '/data/*/assistant_id', 'asst_other'),
    another: setIn(RETRIEVE_STEP, '/assistant_id', 'asst_other'),
  },
});

const withCompleted = that<StepResponse>('that is completed', ({ steps }) => steps.some(isCompleted));

export const runStepsTimesCompletedHasNoOtherEnd = implied('run-steps.times.completed-has-no-other-end', {
  spec: '1 Common shapes',
  says: 'A completed step has no time of failure, cancellation or expiry.',
  selector: where(stepResponses, withCompleted),
  check: ({ steps }) =>
    steps
      .filter(isCompleted)
      .flatMap((step) =>
        ['failed_at', 'cancelled_at', 'expired_at'].flatMap((field) => notNull(step, field)),
      ),
  mutations: {
    'failed, too': setIn(LIST_STEPS, '/data/*/failed_at', 1),
    'cancelled, too': setIn(RETRIEVE_STEP, '/cancelled_at', 1),
    'expired, too': setIn(RETRIEVE_STEP, '/expired_at', 1),
  },
});

export const runStepsLastErrorNullWhenCompleted = stated('run-steps.last-error.null-when-completed', {
  says: 'A step that completed has no last_error.',
  selector: where(stepResponses, withCompleted),
  check: ({ steps }) => steps.filter(isCompleted).flatMap((step) => notNull(step, 'last_error')),
  mutations: {
    'an error': setIn(RETRIEVE_STEP, '/last_error', { code: 'server_error', message: 'Sorry.' }),
    'an error in the list': setIn(LIST_STEPS, '/data/*/last_error', {}),
  },
});

function otherwise({ at, value }: PlacedStep, field: string, expected: string | undefined): Violation[] {
  const actual = valueAtPath(value, field);
  return expected === undefined || actual === expected ? [] : [violation(`${at}/${field}`, expected, actual)];
}

function notNull({ at, value }: PlacedStep, field: string): Violation[] {
  const actual = valueAtPath(value, field) ?? null;
  return actual === null ? [] : [violation(`${at}/${field}`, 'null', actual)];
}

function isCompleted({ value }: PlacedStep): boolean {
  return valueAtPath(value, 'status') === 'completed';
}
