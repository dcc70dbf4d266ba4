import {
  changeEvents,
  changeResponse,
  type FaultyEvent,
  findUnknown,
  forceOtherFunction,
  ignoreField,
  rejectValid,
  replaceBody,
  setAtPointer,
  setInEvents,
  setInResponse,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { isJsonObject, type Json } from '../../http/json.ts';

const on = ['createRun', 'createThreadAndRun'];

export const faults: readonly Fault[] = [
  {
    id: 'runs-without-assistant',
    says: 'runs of an unknown assistant complete',
    requirement: 'runs.create.needs-assistant',
    on: ['createRun'],
    does: findUnknown((id) => ({ id, object: 'thread.run', status: 'completed' })),
  },
  {
    id: 'runs-forced-search-refused',
    says: 'rejects a tool_choice that names the file search',
    requirement: 'runs.tool-choice.file-search',
    on: ['createRun'],
    does: rejectValid('tool_choice', (value) => isJsonObject(value) && value['type'] === 'file_search'),
  },
  {
    id: 'runs-model-of-assistant',
    says: 'runs use the model of the assistant, whichever the request names',
    requirement: 'runs.overrides.model',
    on,
    does: ignoreField('model'),
  },
  {
    id: 'runs-events-swapped',
    says: 'streams send thread.run.in_progress before thread.run.queued',
    requirement: 'runs.stream.queued-before-in-progress',
    on,
    does: changeEvents((events) => later(events, 'thread.run.queued')),
  },
  {
    id: 'runs-message-before-created',
    says: 'streams send thread.message.created after the deltas of the message',
    requirement: 'runs.stream.message-begins',
    on,
    does: changeEvents((events) => [
      ...events.filter(({ event }) => event !== 'thread.message.created' && event !== 'done'),
      ...events.filter(({ event }) => event === 'thread.message.created' || event === 'done'),
    ]),
  },
  {
    id: 'runs-done-missing',
    says: 'streams end without the event done',
    requirement: 'runs.stream.done-ends-stream',
    on,
    does: changeEvents((events) => events.filter(({ event }) => event !== 'done')),
  },
  {
    id: 'runs-incomplete-completed-at',
    says: 'runs that end incomplete have a completed_at',
    requirement: 'runs.times.incomplete-has-no-other-end',
    on,
    does: changeEvents((events) =>
      events.map((event) =>
        event.event === 'thread.run.incomplete' && isJsonObject(event.data)
          ? { ...event, data: { ...event.data, completed_at: event.data['started_at'] ?? null } }
          : event,
      ),
    ),
  },
  {
    id: 'runs-incomplete-started-at-lost',
    says: 'runs that end incomplete have no started_at',
    requirement: 'runs.times.incomplete-started',
    on,
    does: setInEvents('thread.run.incomplete', '/started_at', null),
  },
  {
    id: 'runs-delta-lost',
    says: 'streams lack the first delta of a message',
    requirement: 'runs.stream.deltas-are-message',
    on,
    does: changeEvents((events) => {
      const first = events.findIndex(({ event }) => event === 'thread.message.delta');
      return events.filter((_, i) => i !== first);
    }),
  },
  {
    id: 'runs-usage-null',
    says: 'completed runs lack usage',
    requirement: 'thread.run.completed:usage#type',
    on,
    does: setInEvents('thread.run.completed', '/usage', null),
  },
  {
    id: 'runs-state-goes-back',
    says: 'completed runs return to in_progress',
    requirement: 'runs.states.path',
    on,
    does: changeEvents((events) =>
      events.flatMap((event) =>
        event.event === 'thread.run.completed'
          ? [
              event,
              { event: 'thread.run.in_progress', data: setAtPointer(event.data, '/status', 'in_progress') },
            ]
          : [event],
      ),
    ),
  },
  {
    id: 'runs-status-completed-at-once',
    says: 'new runs are in_progress',
    requirement: 'runs.create.queued',
    on,
    does: changeResponse((run) => setAtPointer(run, '/status', 'in_progress')),
  },
  {
    id: 'runs-thread-not-told',
    says: 'streams of new threads lack thread.created',
    requirement: 'runs.stream.thread-created-once',
    on: ['createThreadAndRun'],
    does: changeEvents((events) => events.filter(({ event }) => event !== 'thread.created')),
  },
  {
    id: 'runs-model-ignored',
    says: 'ignores the model of the request',
    requirement: 'runs.overrides.model',
    on,
    does: setInResponse('/model', 'another-model'),
  },
  {
    id: 'runs-instructions-ignored',
    says: 'ignores the instructions of the request',
    requirement: 'runs.overrides.instructions',
    on,
    does: ignoreField('instructions'),
  },
  {
    id: 'runs-metadata-dropped',
    says: 'runs always have empty metadata',
    requirement: 'runs.overrides.metadata',
    on,
    does: ignoreField('metadata'),
  },
  {
    id: 'runs-default-wrong',
    says: 'the default temperature of a run is 0.5',
    requirement: 'runs.defaults.temperature',
    on,
    does: replaceBody((body) => ({ temperature: 0.5, ...body })),
  },
  {
    id: 'runs-forced-function-not-called',
    says: 'calls another function than the one that tool_choice names',
    requirement: 'runs.tools.forced-function-called',
    on,
    does: forceOtherFunction(),
  },
  {
    id: 'runs-json-mode-ignored',
    says: 'messages of runs in JSON mode have text around their JSON',
    requirement: 'runs.json-mode.message-is-json',
    on,
    does: setInEvents('thread.message.completed', '/content/*/text/value', (text) =>
      typeof text === 'string' && text.startsWith('{') ? `Here you are: ${text}` : text,
    ),
  },
  {
    id: 'runs-messages-lost',
    says: 'ignores additional_messages',
    requirement: 'runs.additional-messages.in-thread',
    on,
    does: ignoreField('additional_messages'),
  },
  {
    id: 'runs-stream-differs',
    says: 'the streamed message differs from the message that is stored',
    requirement: 'runs.stored.message-as-streamed',
    on,
    does: changeEvents((events) => events.map(inCapitals)),
  },
  {
    id: 'runs-stream-settings-lost',
    says: 'ignores top_p when streaming',
    requirement: 'runs.pair.same-settings',
    on,
    does: replaceBody((body) => (body['stream'] === true ? { ...body, top_p: null } : body)),
  },
];

/** The event one place later. */
function later(events: readonly FaultyEvent[], name: string): readonly FaultyEvent[] {
  const at = events.findIndex(({ event }) => event === name);
  const event = events[at];
  return event === undefined ? events : events.toSpliced(at, 1).toSpliced(at + 1, 0, event);
}

function inCapitals(event: FaultyEvent): FaultyEvent {
  const loud = (text: Json | undefined): Json | undefined =>
    typeof text === 'string' ? text.toUpperCase() : text;
  if (event.event === 'thread.message.completed')
    return { ...event, data: setAtPointer(event.data, '/content/*/text/value', loud) };
  if (event.event !== 'thread.message.delta') return event;
  return { ...event, data: setAtPointer(event.data, '/delta/content/*/text/value', loud) };
}
