import type { Json } from '../../exchange/body.ts';
import { put } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { inObjects, inRuns, lastNamed, named, retold } from './breaking.ts';
import { runAnswers, runIdentities } from './run.ts';
import { COMPLETED, type Thing, type Told, tales } from './tale.ts';

const RUN = '1 Run';
const STEP = '1 Run step';
const MESSAGE = '1 Message';

export const sameRun = requirement({
  id: 'runs.stream.same-run',
  level: 'MUST',
  basis: 'implied',
  spec: RUN,
  says: 'All events of a stream that tell a run tell the same one.',
  on: only(tales(), ({ runs }) => runs.length > 1),
  check: ({ runs }) => changed(runs, ['id', 'created_at', 'thread_id', 'assistant_id']),
  breaks: {
    'another id at last': retold(lastNamed(COMPLETED), put('/id', 'run_other')),
    'another time at last': retold(lastNamed(COMPLETED), put('/created_at', 1)),
    'another thread': retold(named('thread.run.in_progress'), put('/thread_id', 'thread_other')),
    'another assistant': retold(named('thread.run.in_progress'), put('/assistant_id', 'asst_other')),
  },
});

export const sameStep = requirement({
  id: 'runs.stream.same-step',
  level: 'MUST',
  basis: 'implied',
  spec: STEP,
  says: 'What a step is stays the same in all events that tell it.',
  on: only(tales(), ({ steps }) => steps.some(({ told }) => objects(told).length > 1)),
  check: ({ steps }) => steps.flatMap(({ told }) => changed(objects(told), ['created_at', 'type'])),
  breaks: {
    'another time at last': retold(named('thread.run.step.completed'), put('/created_at', 1)),
    'another type': retold(
      named('thread.run.step.created'),
      put('/type', (type) => (type === 'tool_calls' ? 'message_creation' : 'tool_calls')),
    ),
  },
});

export const sameMessage = requirement({
  id: 'runs.stream.same-message',
  level: 'MUST',
  basis: 'implied',
  spec: MESSAGE,
  says: 'What a message is stays the same in all events that tell it.',
  on: only(tales(), ({ messages }) => messages.some(({ told }) => objects(told).length > 1)),
  check: ({ messages }) => messages.flatMap(({ told }) => changed(objects(told), ['created_at', 'role'])),
  breaks: {
    'another time at last': retold(named('thread.message.completed'), put('/created_at', 1)),
    'another role': retold(named('thread.message.created'), put('/role', 'user')),
  },
});

export const ownersOfStep = requirement({
  id: 'runs.stream.step-owners',
  level: 'MUST',
  basis: 'stated',
  spec: STEP,
  says: 'A step in a stream names the run, the thread and the assistant of that stream.',
  on: only(tales(), ({ runs, steps }) => runs.length > 0 && steps.length > 0),
  check: ({ runs: [run], steps }) => steps.flatMap((step) => strangers(step, run)),
  breaks: {
    'another run': retold(named('thread.run.step.created'), put('/run_id', 'run_other')),
    'another thread': retold(named('thread.run.step.completed'), put('/thread_id', 'thread_other')),
    'another assistant': retold(named('thread.run.step.in_progress'), put('/assistant_id', 'asst_other')),
  },
});

export const ownersOfMessage = requirement({
  id: 'runs.stream.message-owners',
  level: 'MUST',
  basis: 'stated',
  spec: MESSAGE,
  says: 'A message that a run writes names its run, its thread and its assistant.',
  on: only(tales(), ({ runs, messages }) => runs.length > 0 && messages.length > 0),
  check: ({ runs: [run], messages }) => messages.flatMap((message) => strangers(message, run)),
  breaks: {
    'another run': retold(named('thread.message.created'), put('/run_id', 'run_other')),
    'no run': retold(named('thread.message.completed'), put('/run_id', null)),
    'another thread': retold(named('thread.message.completed'), put('/thread_id', 'thread_other')),
    'another assistant': retold(named('thread.message.in_progress'), put('/assistant_id', 'asst_other')),
    'no assistant': retold(named('thread.message.completed'), put('/assistant_id', null)),
  },
});

export const asAsked = requirement({
  id: 'runs.create.of-assistant',
  level: 'MUST',
  basis: 'stated',
  spec: RUN,
  says: 'A run is of the assistant that its request names.',
  on: only(runAnswers(), ({ asked }) => text(asked, 'assistant_id') !== undefined),
  check: ({ asked, runs }) =>
    runs
      .filter(({ run }) => get(run, 'assistant_id') !== get(asked, 'assistant_id'))
      .map(({ at, run }) => ({
        at: `${at}/assistant_id`,
        expected: `${text(asked, 'assistant_id')}, as asked for`,
        actual: get(run, 'assistant_id'),
      })),
  breaks: {
    'another assistant': inRuns(put('/assistant_id', 'asst_other')),
    'no assistant': inRuns(put('/assistant_id', null)),
  },
});

export const onThread = requirement({
  id: 'runs.create.on-thread',
  level: 'MUST',
  basis: 'stated',
  spec: RUN,
  says: 'A run is on the thread that the path of its request names.',
  on: only(runAnswers(), ({ call }) => call.path['thread_id'] !== undefined),
  check: ({ call, runs }) =>
    runs
      .filter(({ run }) => get(run, 'thread_id') !== call.path['thread_id'])
      .map(({ at, run }) => ({
        at: `${at}/thread_id`,
        expected: `${call.path['thread_id']}, as in the path`,
        actual: get(run, 'thread_id'),
      })),
  breaks: {
    'another thread': inRuns(put('/thread_id', 'thread_other')),
    'no thread': inRuns(put('/thread_id', null)),
  },
});

export const runIdUnique = requirement({
  id: 'runs.create.id-unique',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Common shapes',
  says: 'Two runs of a thread never get the same id.',
  on: runIdentities(),
  check: ({ id, earlier }) =>
    earlier === null
      ? []
      : [{ at: '/id', expected: `an id that the run of ${earlier.id} does not have`, actual: id }],
  breaks: {
    'one id for all': inRuns(put('/id', 'run_same')),
    'one id for all streams': inObjects('thread.run', put('/id', 'run_same')),
  },
});

function objects(told: readonly Told[]): readonly Told[] {
  return told.filter(({ verb }) => verb !== 'delta');
}

/** Where later events tell a field otherwise than the first one. */
function changed([first, ...others]: readonly Told[], fields: readonly string[]): Complaint[] {
  return fields.flatMap((field) => {
    const expected = get(first?.data, field);
    return others
      .filter(({ data }) => get(data, field) !== expected)
      .map((event) => objection(event, field, expected));
  });
}

/** Where an object names other owners than the run has. */
function strangers({ told }: Thing, run: Told | undefined): Complaint[] {
  const owners: readonly (readonly [string, Json | undefined])[] = [
    ['run_id', get(run?.data, 'id')],
    ['thread_id', get(run?.data, 'thread_id')],
    ['assistant_id', get(run?.data, 'assistant_id')],
  ];
  return objects(told).flatMap((event) =>
    owners
      .filter(([field, owner]) => get(event.data, field) !== owner)
      .map(([field, owner]) => objection(event, field, owner)),
  );
}

function objection({ at, data }: Told, field: string, expected: Json | undefined): Complaint {
  return { at: `${at} /${field}`, expected: JSON.stringify(expected) ?? 'none', actual: get(data, field) };
}
