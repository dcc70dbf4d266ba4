import { setValue } from '../../vocabulary/changes.ts';
import { textAt } from '../../vocabulary/json.ts';
import { where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { BehaviourRequirement, Violation } from '../../vocabulary/types.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  editRunEvents,
  eventsNamed,
  firstEventNamed,
  insertAfterRunEvents,
  lastEventNamed,
  moveRunEvents,
} from './mutations.ts';
import { COMPLETED, type RunStream, runStreams, runStreamsWith, type StreamedObject } from './run-stream.ts';

type Kind = 'step' | 'message';

const PREFIX = { step: 'thread.run.step', message: 'thread.message' } as const;
const SPEC = { step: '1 Run step', message: '1 Message created by a run' } as const;

export const stepBegins = begins('step', 'No event about a step precedes its thread.run.step.created.');
export const messageBegins = begins(
  'message',
  'No event about a message precedes its thread.message.created.',
);

export const stepInProgress = inProgress(
  'step',
  'A step grows and ends only after thread.run.step.in_progress.',
);
export const messageInProgress = inProgress(
  'message',
  'A message grows and ends only after thread.message.in_progress.',
);

export const stepEnds = ends('step', 'No event about a step follows its thread.run.step.completed.');
export const messageEnds = ends('message', 'No event about a message follows its thread.message.completed.');

export const stepOnce = once('step', 'A step is created once in a stream.');
export const messageOnce = once('message', 'A message is created once in a stream.');

export const runsStreamMessageHasStep = section(SPEC.message).implied('runs.stream.message-has-step', {
  says: 'Every message that a completed run writes is that of one of its steps.',
  selector: where(runStreamsWith(COMPLETED), ({ messages }) => messages.length > 0),
  check: (stream) => {
    const named = stream.steps.map(messageIdOf);
    return stream.messages
      .filter(({ id }) => !named.includes(id))
      .map((message) => objection(message, 'a step that writes this message'));
  },
  mutations: {
    'no step for it': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
    ),
    'the step names another': editRunEvents(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
      setValue('/step_details/message_creation/message_id', 'msg_other'),
    ),
  },
});

export const runsStreamStepHasMessage = section(SPEC.message).implied('runs.stream.step-has-message', {
  says: 'Every completed step that writes a message has its message in the stream, too.',
  selector: where(runStreams(), ({ steps }) =>
    steps.some((step) => completes(step) && messageIdOf(step) !== undefined),
  ),
  check: ({ steps, messages }) =>
    steps
      .filter((step) => completes(step) && messageIdOf(step) !== undefined)
      .filter((step) => !messages.some(({ id }) => id === messageIdOf(step)))
      .map((step) => objection(step, `the message ${messageIdOf(step)}`)),
  mutations: {
    'another message': editRunEvents(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
      setValue('/id', 'msg_other'),
    ),
    'no message': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
    ),
  },
});

function begins(kind: Kind, says: string): BehaviourRequirement<RunStream> {
  const prefix = PREFIX[kind];
  return section(SPEC[kind]).stated(`runs.stream.${kind}-begins`, {
    says,
    selector: where(runStreams(), (stream) => of(stream, kind).length > 0),
    check: (stream) =>
      of(stream, kind)
        .filter(({ events }) => events[0]?.verb !== 'created')
        .map((object) => objection(object, `${prefix}.created before it`)),
    mutations: {
      'never created': dropRunEvents(eventsNamed(`${prefix}.created`)),
      'created last': moveRunEvents(eventsNamed(`${prefix}.created`), 'back'),
      'a delta before it': moveRunEvents(firstEventNamed(`${prefix}.delta`), 'front'),
      'a delta of another': editRunEvents(lastEventNamed(`${prefix}.delta`), setValue('/id', 'other')),
    },
  });
}

function inProgress(kind: Kind, says: string): BehaviourRequirement<RunStream> {
  const prefix = PREFIX[kind];
  return section(SPEC[kind]).stated(`runs.stream.${kind}-in-progress`, {
    says,
    selector: where(runStreams(), (stream) => of(stream, kind).some(({ events }) => events.some(isGrowth))),
    check: (stream) =>
      of(stream, kind).flatMap(({ events }): Violation[] => {
        const growth = events.find(isGrowth);
        const begun = events.find(({ verb }) => verb === 'in_progress');
        if (growth === undefined || (begun !== undefined && begun.place < growth.place)) return [];
        return [violation(growth.at, `${prefix}.in_progress before it`, growth.name)];
      }),
    mutations: {
      'never told': dropRunEvents(eventsNamed(`${prefix}.in_progress`)),
      'told last': moveRunEvents(eventsNamed(`${prefix}.in_progress`), 'back'),
      'completed first': moveRunEvents(eventsNamed(`${prefix}.completed`), 'front'),
    },
  });
}

function ends(kind: Kind, says: string): BehaviourRequirement<RunStream> {
  const prefix = PREFIX[kind];
  return section(SPEC[kind]).implied(`runs.stream.${kind}-ends`, {
    says,
    selector: where(runStreams(), (stream) => of(stream, kind).some(completes)),
    check: (stream) =>
      of(stream, kind).flatMap(({ events }) => {
        const end = events.findIndex(({ verb }) => verb === 'completed');
        const later = end === -1 ? [] : events.slice(end + 1);
        return later.map(({ at, name }) => violation(at, 'no event about it any more', name));
      }),
    mutations: {
      'a delta follows': moveRunEvents(lastEventNamed(`${prefix}.delta`), 'back'),
      'in progress again': moveRunEvents(eventsNamed(`${prefix}.in_progress`), 'back'),
      'completed twice': duplicateRunEvents(eventsNamed(`${prefix}.completed`)),
    },
  });
}

function once(kind: Kind, says: string): BehaviourRequirement<RunStream> {
  const prefix = PREFIX[kind];
  return section(SPEC[kind]).stated(`runs.stream.${kind}-created-once`, {
    says,
    selector: runStreamsWith(`${prefix}.created`),
    check: (stream) =>
      of(stream, kind).flatMap(({ events }) =>
        events
          .filter(({ verb }) => verb === 'created')
          .slice(1)
          .map(({ at, name }) => violation(at, 'no second creation', name)),
      ),
    mutations: {
      'created twice': duplicateRunEvents(eventsNamed(`${prefix}.created`)),
      'created again later': insertAfterRunEvents(
        `${prefix}.in_progress`,
        `${prefix}.created`,
        setValue('/metadata', {}),
      ),
    },
  });
}

function of(stream: RunStream, kind: Kind): readonly StreamedObject[] {
  return kind === 'step' ? stream.steps : stream.messages;
}

function completes({ events }: StreamedObject): boolean {
  return events.some(({ verb }) => verb === 'completed');
}

function isGrowth({ verb }: StreamedObject['events'][number]): boolean {
  return verb === 'delta' || verb === 'completed';
}

function messageIdOf({ events }: StreamedObject): string | undefined {
  const named = events.map(({ data }) => textAt(data, 'step_details', 'message_creation', 'message_id'));
  return named.find((id) => id !== undefined);
}

function objection({ id, events: [first] }: StreamedObject, expected: string): Violation {
  return violation(first?.at ?? '', expected, `${first?.name} ${id}`);
}
