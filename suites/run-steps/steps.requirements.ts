import { isAnother, isEmpty } from '../generate/compare.ts';
import { asWholeList } from '../generate/lists.ts';
import {
  type FollowUp,
  followUpsBy,
  isCompleteResponse,
  type RepeatedObject,
  wasCompleted,
} from '../runs/runs.ts';
import { COMPLETED, joinedCalls, type StreamedObject, WAITING } from '../runs/streams.ts';
import { removeIn, setIn, setValue } from '../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { answered, lists, responses, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { CallSuccession, Json, Mutation, Violation } from '../vocabulary/types.ts';
import {
  functionCalls,
  LIST_STEPS,
  type PlacedStep,
  RETRIEVE_STEP,
  repeatedSteps,
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
    // The specification shows no other transition from here.
    return status === 'in_progress' ? [violation(`${later.at}/status`, 'completed, as it was', status)] : [];
  },
  mutations: {
    'in progress again': setIn(RETRIEVE_STEP, '/status', 'in_progress'),
    'in progress again in the list': setIn(LIST_STEPS, '/data/*/status', 'in_progress'),
  },
});

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

/** No operation changes the metadata of a step. An empty map may be shown as null. */
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

const SPEC = '1 Run step';

const wholeLists = where(
  followUpsBy([LIST_STEPS]),
  that('that is the whole list', ({ after }) => isCompleteResponse(after)),
  that(
    'of a streamed run that completed or waits',
    ({ stream }) => stream?.runs.some(({ name }) => name === COMPLETED || name === WAITING) === true,
  ),
);

const streamed = that<FollowUp>('whose stream had a step', ({ stream }) => (stream?.steps.length ?? 0) > 0);

export const runStepsListAllOfStream = implied('run-steps.list.all-of-stream', {
  spec: '1 Run steps',
  says: 'The steps that a stream showed are in the list of the steps of its run.',
  selector: where(wholeLists, streamed),
  check: ({ stream, answer }) => {
    const ids = arrayAt(answer, 'data').map((step) => textAt(step, 'id'));
    return (stream?.steps ?? [])
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => violation('/data', `an element with id ${id}`, ids.map(String)));
  },
  mutations: {
    'none is listed': setIn(LIST_STEPS, '/data', []),
    'one is lost': setIn(LIST_STEPS, '/data', (steps) => arrayAt(steps).slice(1)),
    'under another id': setIn(LIST_STEPS, '/data/*/id', 'step_other'),
  },
});

const ofCompletedRun = that<FollowUp>(
  'whose stream completed the run',
  ({ stream }) => stream?.runs.some(({ name }) => name === COMPLETED) === true,
);

export const runStepsListOnlyOfStream = implied('run-steps.list.only-of-stream', {
  spec: '1 Run steps',
  says: 'A completed run has no steps that its stream did not show.',
  // A waiting run continues once it has the outputs.
  selector: where(wholeLists, lists('data'), ofCompletedRun),
  check: ({ stream, answer }) => {
    const ids = stream?.steps.map(({ id }) => id) ?? [];
    return arrayAt(answer, 'data').flatMap((step, i) => {
      const id = textAt(step, 'id');
      return id === undefined || ids.includes(id)
        ? []
        : [violation(`/data/${i}/id`, `one of ${ids.join(', ')}`, id)];
    });
  },
  mutations: {
    'another one instead': setIn(LIST_STEPS, '/data/0/id', 'step_untold'),
    'one more': setIn(LIST_STEPS, '/data', (steps) =>
      arrayAt(steps).flatMap((step) => [step, setValue('/id', 'step_untold')(step)]),
    ),
  },
});

const calling = that<FollowUp>('of calls that a stream completed', (look) => streamedCalls(look).length > 0);

export const runStepsCallsAsStreamed = implied('run-steps.calls.as-streamed', {
  spec: '1 Events',
  says: 'The joined deltas of a step equal its function calls in later responses.',
  selector: where(followUpsBy([LIST_STEPS, RETRIEVE_STEP]), calling),
  check: (followUp) => streamedCalls(followUp).flatMap(({ step, thing }) => differences(step, thing)),
  mutations: {
    'other arguments in the list': setIn(
      LIST_STEPS,
      '/data/*/step_details/tool_calls/*/function/arguments',
      '{"other":true}',
    ),
    'other arguments': setIn(RETRIEVE_STEP, '/step_details/tool_calls/0/function/arguments', ''),
    'another name': setIn(RETRIEVE_STEP, '/step_details/tool_calls/0/function/name', 'nobody_knows'),
    'another id': setIn(LIST_STEPS, '/data/*/step_details/tool_calls/*/id', 'call_other'),
    'no calls': setIn(RETRIEVE_STEP, '/step_details/tool_calls', []),
  },
});

const runStepsMessageInThreadMutations: Readonly<Record<string, Mutation>> = {
  'not there': setIn('listMessages', '/data', []),
  'of no run': setIn('listMessages', '/data/*/run_id', null),
  'the step names another': setIn(
    LIST_STEPS,
    '/data/*/step_details/message_creation/message_id',
    'msg_other',
  ),
};

const afterWriting = that<CallSuccession>(
  'after a step that wrote a message',
  ({ before }) => written(before.responseJson).length > 0,
);

export const runStepsMessageInThread = implied('run-steps.message.in-thread', {
  spec: SPEC,
  says: 'The message that a completed step wrote is in its thread, as one of its run.',
  selector: where(
    successions({ first: LIST_STEPS, later: 'listMessages', about: ({ path }) => path['thread_id'] }),
    answered,
    asWholeList,
    afterWriting,
  ),
  check: ({ before, after }) => {
    const messages = arrayAt(after.responseJson, 'data');
    return written(before.responseJson).flatMap(({ message, run }): Violation[] => {
      const found = messages.find((one) => textAt(one, 'id') === message);
      const isNamed = valueAtPath(found, 'run_id') !== undefined;
      // The schema says whether a message names its run.
      if (found !== undefined && (!isNamed || valueAtPath(found, 'run_id') === run)) return [];
      const expected = `message ${message} of run ${run}`;
      return [violation('/data', expected, found === undefined ? undefined : valueAtPath(found, 'run_id'))];
    });
  },
  mutations: runStepsMessageInThreadMutations,
});

function streamedCalls({
  after,
  stream,
}: FollowUp): readonly { readonly step: PlacedStep; readonly thing: StreamedObject }[] {
  // An interrupted stream may lack the last deltas.
  const isWhole = stream?.runs.some(({ name }) => name === COMPLETED || name === WAITING);
  if (stream === null || isWhole !== true) return [];
  return stepsOf(after).flatMap((step) => {
    const object = stream.steps.find(({ id }) => id === (after.path['step_id'] ?? textAt(step.value, 'id')));
    return object === undefined || joinedCalls(object).length === 0 ? [] : [{ step, thing: object }];
  });
}

function differences({ at, value }: PlacedStep, object: StreamedObject): Violation[] {
  const calls = arrayAt(value, 'step_details', 'tool_calls');
  return joinedCalls(object).flatMap((call): Violation[] => {
    const stored = calls[call.index];
    const parts: readonly (readonly [string, Json | undefined, Json | undefined])[] = [
      ['id', call.id, valueAtPath(stored, 'id')],
      ['function/name', call.name, valueAtPath(stored, 'function', 'name')],
      ['function/arguments', call.arguments, valueAtPath(stored, 'function', 'arguments')],
    ];
    return parts
      .filter(([, joined, actual]) => joined !== actual)
      .map(([field, joined, actual]) =>
        violation(
          `${at}/step_details/tool_calls/${call.index}/${field}`,
          `${JSON.stringify(joined)}, as in the deltas`,
          actual,
        ),
      );
  });
}

function written(answer: Json | undefined) {
  return arrayAt(answer, 'data').flatMap((step) => {
    const message = textAt(step, 'step_details', 'message_creation', 'message_id');
    const run = textAt(step, 'run_id');
    if (message === undefined || run === undefined || valueAtPath(step, 'status') !== 'completed') return [];
    return [{ message, run }];
  });
}
