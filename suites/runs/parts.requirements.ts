import { put } from '../../judge/edit/values.ts';
import { text } from '../../judge/json.ts';
import type { Behaviour, Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { doubled, dropped, firstNamed, followed, lastNamed, moved, named, retold } from './breaking.ts';
import { COMPLETED, type Tale, type Thing, tales, talesOf } from './tale.ts';

type Kind = 'step' | 'message';

const PREFIX = { step: 'thread.run.step', message: 'thread.message' } as const;
const SPEC = { step: '1 Run step', message: '1 Message created by a run' } as const;

export const stepBegins = begins('step', 'Nothing is told of a step before thread.run.step.created.');
export const messageBegins = begins('message', 'Nothing is told of a message before thread.message.created.');

export const stepInProgress = inProgress(
  'step',
  'A step grows and ends only after thread.run.step.in_progress.',
);
export const messageInProgress = inProgress(
  'message',
  'A message grows and ends only after thread.message.in_progress.',
);

export const stepEnds = ends('step', 'Nothing is told of a step after thread.run.step.completed.');
export const messageEnds = ends('message', 'Nothing is told of a message after thread.message.completed.');

export const stepOnce = once('step', 'A step is created once in a stream.');
export const messageOnce = once('message', 'A message is created once in a stream.');

export const messageOfStep = requirement({
  id: 'runs.stream.message-has-step',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC.message,
  says: 'Every message that a completed run writes is that of one of its steps.',
  on: only(talesOf(COMPLETED), ({ messages }) => messages.length > 0),
  check: (tale) => {
    const named = tale.steps.map(messageIdOf);
    return tale.messages
      .filter(({ id }) => !named.includes(id))
      .map((message) => objection(message, 'a step that writes this message'));
  },
  breaks: {
    'no step for it': dropped((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
    ),
    'the step names another': retold(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
      put('/step_details/message_creation/message_id', 'msg_other'),
    ),
  },
});

export const stepOfMessage = requirement({
  id: 'runs.stream.step-has-message',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC.message,
  says: 'Every completed step that writes a message has its message told, too.',
  on: only(tales(), ({ steps }) => steps.some((step) => completes(step) && messageIdOf(step) !== undefined)),
  check: ({ steps, messages }) =>
    steps
      .filter((step) => completes(step) && messageIdOf(step) !== undefined)
      .filter((step) => !messages.some(({ id }) => id === messageIdOf(step)))
      .map((step) => objection(step, `the message ${messageIdOf(step)}`)),
  breaks: {
    'another message': retold(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
      put('/id', 'msg_other'),
    ),
    'no message': dropped((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
    ),
  },
});

function begins(kind: Kind, says: string): Behaviour<Tale> {
  const prefix = PREFIX[kind];
  return requirement({
    id: `runs.stream.${kind}-begins`,
    level: 'MUST',
    basis: 'stated',
    spec: SPEC[kind],
    says,
    on: only(tales(), (tale) => of(tale, kind).length > 0),
    check: (tale) =>
      of(tale, kind)
        .filter(({ told }) => told[0]?.verb !== 'created')
        .map((thing) => objection(thing, `${prefix}.created before it`)),
    breaks: {
      'never created': dropped(named(`${prefix}.created`)),
      'created last': moved(named(`${prefix}.created`), 'back'),
      'a delta before it': moved(firstNamed(`${prefix}.delta`), 'front'),
      'a delta of another': retold(lastNamed(`${prefix}.delta`), put('/id', 'other')),
    },
  });
}

function inProgress(kind: Kind, says: string): Behaviour<Tale> {
  const prefix = PREFIX[kind];
  return requirement({
    id: `runs.stream.${kind}-in-progress`,
    level: 'MUST',
    basis: 'stated',
    spec: SPEC[kind],
    says,
    on: only(tales(), (tale) => of(tale, kind).some(({ told }) => told.some(isGrowth))),
    check: (tale) =>
      of(tale, kind).flatMap(({ told }): Complaint[] => {
        const growth = told.find(isGrowth);
        const begun = told.find(({ verb }) => verb === 'in_progress');
        if (growth === undefined || (begun !== undefined && begun.place < growth.place)) return [];
        return [{ at: growth.at, expected: `${prefix}.in_progress before it`, actual: growth.name }];
      }),
    breaks: {
      'never told': dropped(named(`${prefix}.in_progress`)),
      'told last': moved(named(`${prefix}.in_progress`), 'back'),
      'completed first': moved(named(`${prefix}.completed`), 'front'),
    },
  });
}

function ends(kind: Kind, says: string): Behaviour<Tale> {
  const prefix = PREFIX[kind];
  return requirement({
    id: `runs.stream.${kind}-ends`,
    level: 'MUST',
    basis: 'implied',
    spec: SPEC[kind],
    says,
    on: only(tales(), (tale) => of(tale, kind).some(completes)),
    check: (tale) =>
      of(tale, kind).flatMap(({ told }) => {
        const end = told.findIndex(({ verb }) => verb === 'completed');
        const later = end === -1 ? [] : told.slice(end + 1);
        return later.map(({ at, name }) => ({ at, expected: 'no event about it any more', actual: name }));
      }),
    breaks: {
      'a delta follows': moved(lastNamed(`${prefix}.delta`), 'back'),
      'in progress again': moved(named(`${prefix}.in_progress`), 'back'),
      'completed twice': doubled(named(`${prefix}.completed`)),
    },
  });
}

function once(kind: Kind, says: string): Behaviour<Tale> {
  const prefix = PREFIX[kind];
  return requirement({
    id: `runs.stream.${kind}-created-once`,
    level: 'MUST',
    basis: 'stated',
    spec: SPEC[kind],
    says,
    on: talesOf(`${prefix}.created`),
    check: (tale) =>
      of(tale, kind).flatMap(({ told }) =>
        told
          .filter(({ verb }) => verb === 'created')
          .slice(1)
          .map(({ at, name }) => ({ at, expected: 'no second creation', actual: name })),
      ),
    breaks: {
      'created twice': doubled(named(`${prefix}.created`)),
      'created again later': followed(`${prefix}.in_progress`, `${prefix}.created`, put('/metadata', {})),
    },
  });
}

function of(tale: Tale, kind: Kind): readonly Thing[] {
  return kind === 'step' ? tale.steps : tale.messages;
}

function completes({ told }: Thing): boolean {
  return told.some(({ verb }) => verb === 'completed');
}

function isGrowth({ verb }: Thing['told'][number]): boolean {
  return verb === 'delta' || verb === 'completed';
}

function messageIdOf({ told }: Thing): string | undefined {
  const named = told.map(({ data }) => text(data, 'step_details', 'message_creation', 'message_id'));
  return named.find((id) => id !== undefined);
}

function objection({ id, told: [first] }: Thing, expected: string): Complaint {
  return { at: first?.at ?? '', expected, actual: `${first?.name} ${id}` };
}
