import { callsOperation, setValue } from '../vocabulary/changes.ts';
import { withJsonResponse } from '../vocabulary/exchanges.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { asksText, requests, settled, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Exchange, Json, Mutation, RequestEvidence, Violation } from '../vocabulary/types.ts';
import { editRunEvents, editRuns, editStreamedObjects, lastEventNamed, setInRunEvents } from './mutations.ts';
import { runIdentities, runResponses } from './runs.ts';
import {
  COMPLETED,
  type RunStream,
  type RunStreamEvent,
  runStreamOf,
  runStreams,
  type StreamedObject,
  withMessage,
  withRun,
  withStep,
  withTwoStates,
} from './streams.ts';

const { stated, implied } = section('1 Run');
const runStep = section('1 Run step');
const MESSAGE = '1 Message';

export const runsStreamSameRun = implied('runs.stream.same-run', {
  says: 'All events of a stream that contain a run contain the same one.',
  selector: where(runStreams, withTwoStates),
  check: ({ runs }) => changed(runs, ['id', 'created_at', 'thread_id', 'assistant_id']),
  mutations: {
    'another id at last': editRunEvents(lastEventNamed(COMPLETED), setValue('/id', 'run_other')),
    'another time at last': editRunEvents(lastEventNamed(COMPLETED), setValue('/created_at', 1)),
    'another thread': setInRunEvents('thread.run.in_progress', '/thread_id', 'thread_other'),
    'another assistant': setInRunEvents('thread.run.in_progress', '/assistant_id', 'asst_other'),
  },
});

const withStepAgain = that<RunStream>('with two events of a step', ({ steps }) =>
  steps.some(({ events }) => objects(events).length > 1),
);

export const runsStreamSameStep = runStep.implied('runs.stream.same-step', {
  says: 'The identity of a step stays the same in all events that contain it.',
  selector: where(runStreams, withStepAgain),
  check: ({ steps }) => steps.flatMap(({ events }) => changed(objects(events), ['created_at', 'type'])),
  mutations: {
    'another time at last': setInRunEvents('thread.run.step.completed', '/created_at', 1),
    'another type': setInRunEvents('thread.run.step.created', '/type', (type) =>
      type === 'tool_calls' ? 'message_creation' : 'tool_calls',
    ),
  },
});

const withMessageAgain = that<RunStream>('with two events of a message', ({ messages }) =>
  messages.some(({ events }) => objects(events).length > 1),
);

export const runsStreamSameMessage = implied('runs.stream.same-message', {
  spec: MESSAGE,
  says: 'The identity of a message stays the same in all events that contain it.',
  selector: where(runStreams, withMessageAgain),
  check: ({ messages }) => messages.flatMap(({ events }) => changed(objects(events), ['created_at', 'role'])),
  mutations: {
    'another time at last': setInRunEvents('thread.message.completed', '/created_at', 1),
    'another role': setInRunEvents('thread.message.created', '/role', 'user'),
  },
});

export const runsStreamStepOwners = runStep.stated('runs.stream.step-owners', {
  says: 'A step in a stream names the run, the thread and the assistant of that stream.',
  selector: where(runStreams, withRun, withStep),
  check: ({ runs: [run], steps }) => steps.flatMap((step) => strangers(step, run)),
  mutations: {
    'another run': setInRunEvents('thread.run.step.created', '/run_id', 'run_other'),
    'another thread': setInRunEvents('thread.run.step.completed', '/thread_id', 'thread_other'),
    'another assistant': setInRunEvents('thread.run.step.in_progress', '/assistant_id', 'asst_other'),
  },
});

export const runsStreamMessageOwners = stated('runs.stream.message-owners', {
  spec: MESSAGE,
  says: 'A message that a run writes names its run, its thread and its assistant.',
  selector: where(runStreams, withRun, withMessage),
  check: ({ runs: [run], messages }) => messages.flatMap((message) => strangers(message, run)),
  mutations: {
    'another run': setInRunEvents('thread.message.created', '/run_id', 'run_other'),
    'no run': setInRunEvents('thread.message.completed', '/run_id', null),
    'another thread': setInRunEvents('thread.message.completed', '/thread_id', 'thread_other'),
    'another assistant': setInRunEvents('thread.message.in_progress', '/assistant_id', 'asst_other'),
    'no assistant': setInRunEvents('thread.message.completed', '/assistant_id', null),
  },
});

export const runsCreateOfAssistant = stated('runs.create.of-assistant', {
  says: 'A run has the assistant_id of its request.',
  selector: where(runResponses, asksText('assistant_id')),
  check: ({ asked, runs }) =>
    runs
      .filter(({ run }) => valueAtPath(run, 'assistant_id') !== valueAtPath(asked, 'assistant_id'))
      .map(({ at, run }) =>
        violation(
          `${at}/assistant_id`,
          `${textAt(asked, 'assistant_id')}, as asked for`,
          valueAtPath(run, 'assistant_id'),
        ),
      ),
  mutations: {
    'another assistant': editRuns(setValue('/assistant_id', 'asst_other')),
    'no assistant': editRuns(setValue('/assistant_id', null)),
  },
});

export const runsCreateOnThread = stated('runs.create.on-thread', {
  says: 'A run has the thread_id in the path of its request.',
  selector: where(
    runResponses,
    that('of a thread in the path', ({ call }) => call.path['thread_id'] !== undefined),
  ),
  check: ({ call, runs }) =>
    runs
      .filter(({ run }) => valueAtPath(run, 'thread_id') !== call.path['thread_id'])
      .map(({ at, run }) =>
        violation(
          `${at}/thread_id`,
          `${call.path['thread_id']}, as in the path`,
          valueAtPath(run, 'thread_id'),
        ),
      ),
  mutations: {
    'another thread': editRuns(setValue('/thread_id', 'thread_other')),
    'no thread': editRuns(setValue('/thread_id', null)),
  },
});

export const runsCreateIdUnique = implied('runs.create.id-unique', {
  spec: '1 Common shapes',
  says: 'Two runs of a thread never get the same id.',
  selector: runIdentities,
  check: ({ id, earlier }) =>
    earlier === null ? [] : [violation('/id', `an id that the run of ${earlier.id} does not have`, id)],
  mutations: {
    'one id for all': editRuns(setValue('/id', 'run_same')),
    'one id for all streams': editStreamedObjects('thread.run', setValue('/id', 'run_same')),
  },
});

function objects(events: readonly RunStreamEvent[]): readonly RunStreamEvent[] {
  return events.filter(({ verb }) => verb !== 'delta');
}

function changed([first, ...others]: readonly RunStreamEvent[], fields: readonly string[]): Violation[] {
  return fields.flatMap((field) => {
    const expected = valueAtPath(first?.data, field);
    return others
      .filter(({ data }) => valueAtPath(data, field) !== expected)
      .map((event) => objection(event, field, expected));
  });
}

function strangers({ events }: StreamedObject, run: RunStreamEvent | undefined): Violation[] {
  const owners: readonly (readonly [string, Json | undefined])[] = [
    ['run_id', valueAtPath(run?.data, 'id')],
    ['thread_id', valueAtPath(run?.data, 'thread_id')],
    ['assistant_id', valueAtPath(run?.data, 'assistant_id')],
  ];
  return objects(events).flatMap((event) =>
    owners
      .filter(([field, owner]) => ![undefined, owner].includes(valueAtPath(event.data, field)))
      .map(([field, owner]) => objection(event, field, owner)),
  );
}

function objection({ at, data }: RunStreamEvent, field: string, expected: Json | undefined): Violation {
  return violation(`${at} /${field}`, JSON.stringify(expected) ?? 'none', valueAtPath(data, field));
}

const ON_THREAD = 'createRun';

const ofUnknown = that<RequestEvidence>('of an assistant that does not exist', ({ call }) =>
  namesUnknown(call.exchange),
);

/** A target may reject the run, or let it fail: it has nothing to execute. */
export const runsCreateNeedsAssistant = implied('runs.create.needs-assistant', {
  spec: '1 Runs',
  says: 'A run of an assistant that does not exist is rejected, or does not complete.',
  selector: where(requests(ON_THREAD), ofUnknown, settled),
  check: ({ call }) => (completes(call) ? [violation('stream', `no ${COMPLETED}`, COMPLETED)] : []),
  mutations: {
    'answered as valid': inUnknown((exchange, { response, end }) => ({ ...exchange, response, end })),
    'completed at once': inUnknown((exchange) =>
      withJsonResponse(exchange, 200, { object: 'thread.run', status: 'completed' }),
    ),
  },
});

function completes(call: Call): boolean {
  const stream = runStreamOf(call);
  if (stream !== null) return stream.runs.some(({ name }) => name === COMPLETED);
  return valueAtPath(call.responseJson, 'status') === 'completed';
}

function namesUnknown({ probe }: Exchange): boolean {
  return probe?.side === 'violation' && probe.pointer === 'body.assistant_id' && probe.keyword === 'unknown';
}

function inUnknown(edit: (exchange: Exchange, valid: Exchange) => Exchange): Mutation {
  return (trace) => {
    const valid = trace.find(
      (exchange) =>
        callsOperation(exchange, ON_THREAD) && exchange.response?.body.text?.includes(COMPLETED) === true,
    );
    if (valid === undefined || !trace.some(namesUnknown)) return null;
    return trace.map((exchange) => (namesUnknown(exchange) ? edit(exchange, valid) : exchange));
  };
}
