// Ways to leave out, cut short or rename what would be judged: nothing that is left is wrong.

import {
  changeEvents,
  changeResponse,
  type FaultyEvent,
  ignoreField,
  setAtPointer,
  setInEvents,
  setInResponse,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import type { Json } from '../../http/json.ts';

const runs = ['createRun', 'createThreadAndRun'];
const steps = ['listRunSteps', 'retrieveRunStep'];
const OUTPUT = 'step_details/tool_calls/*/function/output';

export const faults: readonly Fault[] = [
  {
    id: 'evades-waiting-event',
    says: 'streams report runs that wait for outputs under another name than thread.run.requires_action',
    requirement: null,
    hides: 'thread.run:#required-action-while-waiting',
    on: runs,
    does: renameEvent('thread.run.requires_action', 'thread.run.waiting'),
  },
  {
    id: 'evades-message-end',
    says: 'streams lack thread.message.completed',
    requirement: null,
    hides: 'runs.stream.deltas-are-message',
    on: runs,
    does: leaveOutEvents('thread.message.completed'),
  },
  {
    id: 'evades-run-end',
    says: 'streams lack thread.run.completed and what follows',
    requirement: null,
    hides: 'runs.stream.done-ends-stream',
    on: runs,
    does: cutBefore('thread.run.completed'),
  },
  {
    id: 'evades-step-deltas',
    says: 'streams lack thread.run.step.delta',
    requirement: null,
    hides: 'runs.stream.call-named-in-first-chunk',
    on: runs,
    does: leaveOutEvents('thread.run.step.delta'),
  },
  {
    id: 'evades-step-output',
    says: 'function calls of steps lack output',
    requirement: null,
    hides: 'thread.run.step:step_details(tool_calls).tool_calls[function].function.output#type',
    on: steps,
    does: changeResponse((answer) => without(without(answer, `/${OUTPUT}`), `/data/*/${OUTPUT}`)),
  },
  {
    id: 'evades-queued-event',
    says: 'streams lack thread.run.queued',
    requirement: null,
    hides: 'thread.run.queued:#not-started-yet',
    on: runs,
    does: leaveOutEvents('thread.run.queued'),
  },
  {
    id: 'evades-streaming',
    says: 'a run on a new thread is answered as JSON where a stream was requested',
    requirement: null,
    hides: 'runs.stream.thread-created-once',
    on: ['createThreadAndRun'],
    does: ignoreField('stream'),
  },
  {
    id: 'evades-messages-before',
    says: 'a page of messages before a cursor is always empty',
    requirement: null,
    hides: 'listMessages.page.before',
    on: ['listMessages'],
    does: emptyPage((query) => query['before'] !== undefined),
  },
  {
    id: 'evades-message-files',
    says: 'the list of the files of a message is always empty',
    requirement: null,
    hides: 'message-files.list.as-file-ids',
    on: ['listMessageFiles'],
    does: emptyPage(() => true),
  },
  {
    id: 'evades-messages-of-a-run',
    says: 'a list of the messages of one run is always empty',
    requirement: null,
    hides: 'listMessages.page.filter-run-id',
    on: ['listMessages'],
    does: emptyPage((query) => query['run_id'] !== undefined),
  },
  {
    id: 'evades-message-deltas',
    says: 'text deltas of messages are empty objects',
    requirement: null,
    hides: 'thread.message.delta:delta.content[text].text.value#type',
    on: runs,
    does: setInEvents('thread.message.delta', '/delta/content/*/text', {}),
  },
  {
    id: 'evades-run-tools',
    says: 'runs show no tools',
    requirement: null,
    hides: 'runs.overrides.tools',
    on: runs,
    does: setInResponse('/tools', []),
  },
];

function renameEvent(name: string, other: string) {
  return changeEvents((events) =>
    events.map((event) => (event.event === name ? { ...event, event: other } : event)),
  );
}

function leaveOutEvents(name: string) {
  return changeEvents((events) => events.filter(({ event }) => event !== name));
}

/** Ends a stream before the first event of this name; streams without it stay as they are. */
function cutBefore(name: string) {
  return changeEvents((events: readonly FaultyEvent[]) => {
    const at = events.findIndex(({ event }) => event === name);
    return at === -1 ? events : events.slice(0, at);
  });
}

function emptyPage(concerns: (query: Readonly<Record<string, unknown>>) => boolean) {
  return changeResponse((answer, { query }) =>
    concerns(query)
      ? ['/first_id', '/last_id'].reduce((page, at) => setAtPointer(page, at, null), {
          ...Object(setAtPointer(answer, '/data', [])),
          has_more: false,
        } as Json)
      : answer,
  );
}

function without(value: Json, pointer: string): Json {
  return setAtPointer(value, pointer, () => undefined);
}
