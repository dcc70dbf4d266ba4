import { inAnswer } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { looksBy } from '../runs/looks.ts';
import { LIST, type PlacedStep, RETRIEVE, stepAnswers, stepsOf } from './steps.ts';

const SPEC = '1 Run step';
const LISTS = '1 Run steps';

export const ofPath = requirement({
  id: 'run-steps.owners.of-path',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A step names the run and the thread of the path that it is found under.',
  on: stepAnswers(),
  check: ({ call, steps }) =>
    steps.flatMap((step) =>
      ['run_id', 'thread_id'].flatMap((field) => otherwise(step, field, call.path[field])),
    ),
  breaks: {
    'another run in the list': inAnswer(LIST, put('/data/*/run_id', 'run_other')),
    'another thread in the list': inAnswer(LIST, put('/data/0/thread_id', 'thread_other')),
    'another run': inAnswer(RETRIEVE, put('/run_id', 'run_other')),
    'another thread': inAnswer(RETRIEVE, put('/thread_id', 'thread_other')),
  },
});

export const retrieved = requirement({
  id: 'run-steps.retrieve.asked-for',
  level: 'MUST',
  basis: 'implied',
  spec: LISTS,
  says: 'The step that is retrieved is the one of the path.',
  on: answers(RETRIEVE),
  check: ({ call, answer }) => otherwise({ at: '', value: answer }, 'id', call.path['step_id']),
  breaks: {
    'another step': inAnswer(RETRIEVE, put('/id', 'step_other')),
    'no id': inAnswer(RETRIEVE, remove('/id')),
  },
});

export const ofAssistant = requirement({
  id: 'run-steps.owners.assistant-of-run',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A step names the assistant of its run.',
  on: only(looksBy([LIST, RETRIEVE]), ({ after }) => stepsOf(after).length > 0),
  check: ({ after, run }) =>
    stepsOf(after).flatMap((step) => otherwise(step, 'assistant_id', text(run, 'assistant_id'))),
  breaks: {
    'another in the list': inAnswer(LIST, put('/data/*/assistant_id', 'asst_other')),
    another: inAnswer(RETRIEVE, put('/assistant_id', 'asst_other')),
  },
});

export const noOtherEnd = requirement({
  id: 'run-steps.times.completed-has-no-other-end',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Common shapes',
  says: 'A completed step has no time of failure, cancellation or expiry.',
  on: only(stepAnswers(), ({ steps }) => steps.some(isCompleted)),
  check: ({ steps }) =>
    steps
      .filter(isCompleted)
      .flatMap((step) =>
        ['failed_at', 'cancelled_at', 'expired_at'].flatMap((field) => notNull(step, field)),
      ),
  breaks: {
    'failed, too': inAnswer(LIST, put('/data/*/failed_at', 1)),
    'cancelled, too': inAnswer(RETRIEVE, put('/cancelled_at', 1)),
    'expired, too': inAnswer(RETRIEVE, put('/expired_at', 1)),
  },
});

export const noError = requirement({
  id: 'run-steps.last-error.null-when-completed',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A step that completed has no last_error.',
  on: only(stepAnswers(), ({ steps }) => steps.some(isCompleted)),
  check: ({ steps }) => steps.filter(isCompleted).flatMap((step) => notNull(step, 'last_error')),
  breaks: {
    'an error': inAnswer(RETRIEVE, put('/last_error', { code: 'server_error', message: 'Sorry.' })),
    'an error in the list': inAnswer(LIST, put('/data/*/last_error', {})),
  },
});

function otherwise({ at, value }: PlacedStep, field: string, expected: string | undefined): Complaint[] {
  const actual = get(value, field);
  return expected === undefined || actual === expected ? [] : [{ at: `${at}/${field}`, expected, actual }];
}

function notNull({ at, value }: PlacedStep, field: string): Complaint[] {
  const actual = get(value, field) ?? null;
  return actual === null ? [] : [{ at: `${at}/${field}`, expected: 'null', actual }];
}

function isCompleted({ value }: PlacedStep): boolean {
  return get(value, 'status') === 'completed';
}
