import { asWholeList } from '../generate/lists.ts';
import { type FollowUp, followUpsBy, isCompleteResponse } from '../runs/selectors/follow-ups.ts';
import { joinedCalls } from '../runs/streams/deltas.ts';
import { COMPLETED, type StreamedObject, WAITING } from '../runs/streams/run-stream.ts';
import { setIn, setValue } from '../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { answered, lists, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { CallSuccession, Json, Mutation, Violation } from '../vocabulary/types.ts';
import { LIST_STEPS, type PlacedStep, RETRIEVE_STEP, stepsOf } from './steps.ts';

const { implied } = section('1 Run steps');
const SPEC = '1 Run step';

/** Complete lists of the steps of runs whose complete stream was recorded. */
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
  says: 'A completed run has no steps that its stream did not show.',
  // A run that only waits goes on once it has the outputs.
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

/** How the sentence of the next requirement can be untrue. */
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
      // Whether a message names its run is a matter of its schema.
      if (found !== undefined && (!isNamed || valueAtPath(found, 'run_id') === run)) return [];
      const expected = `message ${message} of run ${run}`;
      return [violation('/data', expected, found === undefined ? undefined : valueAtPath(found, 'run_id'))];
    });
  },
  mutations: runStepsMessageInThreadMutations,
});

/** Steps of an answer whose function calls were streamed before. */
function streamedCalls({
  after,
  stream,
}: FollowUp): readonly { readonly step: PlacedStep; readonly thing: StreamedObject }[] {
  // Of a stream that broke off, the last deltas may be missing.
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

/** Messages that the completed steps of a list wrote, and for which run. */
function written(answer: Json | undefined) {
  return arrayAt(answer, 'data').flatMap((step) => {
    const message = textAt(step, 'step_details', 'message_creation', 'message_id');
    const run = textAt(step, 'run_id');
    if (message === undefined || run === undefined || valueAtPath(step, 'status') !== 'completed') return [];
    return [{ message, run }];
  });
}
