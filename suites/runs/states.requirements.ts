import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, isObject, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { followed, inEach, inObjects, inRuns, lastNamed, moved, named, retold } from './breaking.ts';
import { type RunAnswer, runAnswers } from './run.ts';
import { allRuns, COMPLETED, type RunTold, STREAMING, type Tale, tales, WAITING } from './tale.ts';

const STATES = '1 Run';
const SHAPES = '1 Common shapes';
const IN_PROGRESS = 'thread.run.in_progress';

export const queuedAtFirst = requirement({
  id: 'runs.create.queued',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A run that was just created is queued.',
  on: only(runAnswers(), ({ streamed }) => !streamed),
  check: ({ runs: [first] }) =>
    get(first?.run, 'status') === 'queued'
      ? []
      : [{ at: '/status', expected: 'queued', actual: get(first?.run, 'status') }],
  breaks: {
    'in progress': inEach(STREAMING, (operation) => inAnswer(operation, put('/status', 'in_progress'))),
    completed: inEach(STREAMING, (operation) => inAnswer(operation, put('/status', 'completed'))),
  },
});

const STATED = ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'];

/** From each state those that may follow. Of other states, and of the ways from `requires_action`, nothing is said. */
const GRAPH: Readonly<Record<string, readonly string[]>> = {
  queued: ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'],
  in_progress: ['in_progress', 'requires_action', 'completed', 'incomplete'],
  completed: ['completed'],
  incomplete: ['incomplete'],
};

export const path = requirement({
  id: 'runs.states.path',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A run goes from state to state along the stated ways, and from its end to none of them.',
  on: only(tales(), (tale) => allRuns(tale).length > 1),
  check: (tale) =>
    allRuns(tale).flatMap(({ at, state }, i, all): Complaint[] => {
      const before = all[i - 1]?.state;
      if (before === undefined || isWay(before, state)) return [];
      return [{ at: `${at} /status`, expected: `a state that can follow ${before}`, actual: state }];
    }),
  breaks: {
    'queued again': retold(lastNamed(COMPLETED), put('/status', 'queued')),
    'in progress after the end': moved(named(IN_PROGRESS), 'back'),
    'queued after the start': moved(named('thread.run.queued'), 'back'),
    'waits after completion': followed(COMPLETED, WAITING, put('/status', 'requires_action')),
    'completes after ending incomplete': followed(
      'thread.run.incomplete',
      COMPLETED,
      put('/status', 'completed'),
    ),
  },
});

export const startKept = requirement({
  id: 'runs.stream.started-at-kept',
  level: 'MUST',
  basis: 'implied',
  spec: SHAPES,
  says: 'Once a run has started, all events of its stream tell the same started_at.',
  on: only(tales(), ({ runs }) => started(runs).length > 0 && runs.at(-1)?.name !== IN_PROGRESS),
  check: ({ runs }) => {
    const [first] = started(runs);
    const later = runs.filter(({ place }) => place > (first?.place ?? 0));
    const expected = get(first?.data, 'started_at');
    return later
      .filter(({ data }) => get(data, 'started_at') !== expected)
      .map(({ at, data }) => ({
        at: `${at} /started_at`,
        expected: `${JSON.stringify(expected)} as in ${first?.at}`,
        actual: get(data, 'started_at'),
      }));
  },
  breaks: {
    forgotten: retold(named(COMPLETED), put('/started_at', null)),
    'another time': retold(named('thread.run.requires_action'), put('/started_at', 1)),
  },
});

export const notFailed = requirement({
  id: 'runs.times.completed-has-no-other-end',
  level: 'MUST',
  basis: 'implied',
  spec: SHAPES,
  says: 'A completed run has no time of failure or cancellation.',
  on: inState('completed'),
  check: (answer) => wrongWhile(answer, ['completed'], ['failed_at', 'cancelled_at']),
  breaks: {
    'failed, too': inRuns(put('/failed_at', 1)),
    'cancelled, too': inRuns(put('/cancelled_at', 1)),
  },
});

export const actionOnlyWaiting = requirement({
  id: 'runs.required-action.only-while-waiting',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A run that does not wait for outputs has no required_action.',
  on: inState('queued', 'in_progress', 'completed'),
  check: (answer) => wrongWhile(answer, ['queued', 'in_progress', 'completed'], ['required_action']),
  breaks: {
    'from the beginning': retold(named('thread.run.created'), put('/required_action', {})),
    'in progress': retold(named(IN_PROGRESS), put('/required_action', {})),
    'in the end': retold(named(COMPLETED), put('/required_action', { type: 'submit_tool_outputs' })),
    'in the answer': inEach(STREAMING, (operation) => inAnswer(operation, put('/required_action', {}))),
  },
});

export const detailsOnlyIncomplete = requirement({
  id: 'runs.incomplete-details.only-when-incomplete',
  level: 'MUST',
  basis: 'implied',
  spec: STATES,
  says: 'A run that did not end incomplete has no incomplete_details.',
  on: inState('queued', 'in_progress', 'requires_action', 'completed'),
  check: (answer) =>
    wrongWhile(answer, ['queued', 'in_progress', 'requires_action', 'completed'], ['incomplete_details']),
  breaks: {
    'in the end': retold(named(COMPLETED), put('/incomplete_details', { reason: 'max_completion_tokens' })),
    'in the answer': inEach(STREAMING, (operation) => inAnswer(operation, put('/incomplete_details', {}))),
  },
});

/** The event of an incomplete run has no stated name; a run in it is a run all the same. */
const incomplete = only(tales(), (tale) => incompleteRuns(tale).length > 0);

export const detailsSet = requirement({
  id: 'runs.incomplete-details.set',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Errors',
  says: 'A run that ended incomplete has incomplete_details.',
  on: incomplete,
  check: (tale) =>
    incompleteRuns(tale)
      .filter(({ run }) => !isObject(get(run, 'incomplete_details')))
      .map(({ at, run }) => ({
        at: `${at} /incomplete_details`,
        expected: 'an object',
        actual: get(run, 'incomplete_details'),
      })),
  breaks: {
    null: inObjects('thread.run', put('/incomplete_details', null)),
    absent: inObjects('thread.run', remove('/incomplete_details')),
    'only a text': inObjects('thread.run', put('/incomplete_details', 'max_completion_tokens')),
  },
});

export const budget = requirement({
  id: 'runs.budget.completed-within',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Errors',
  says: 'A run that has used more tokens than its budgets does not complete.',
  on: only(
    tales(),
    ({ runs }) =>
      runs.some(({ name }) => name === COMPLETED) && BUDGETS.some(([field]) => has(runs.at(-1), field)),
  ),
  check: ({ runs }) =>
    runs
      .filter(({ name }) => name === COMPLETED)
      .flatMap(({ at, data }) => BUDGETS.flatMap(([field, used]) => excess(data, at, field, used))),
  breaks: {
    'too much was read': retold(named(COMPLETED), put('/usage/prompt_tokens', 1_000_000_000)),
    'too much was written': retold(named(COMPLETED), put('/usage/completion_tokens', 1_000_000_000)),
  },
});

const BUDGETS = [
  ['max_prompt_tokens', 'prompt_tokens'],
  ['max_completion_tokens', 'completion_tokens'],
] as const;

function has(event: Tale['runs'][number] | undefined, field: string): boolean {
  return typeof get(event?.data, field) === 'number';
}

function excess(run: Json | undefined, at: string, field: string, used: string): Complaint[] {
  const most = get(run, field);
  const actual = get(run, 'usage', used);
  if (typeof most !== 'number' || typeof actual !== 'number' || actual <= most) return [];
  return [{ at: `${at} /usage/${used}`, expected: `at most ${most}, or an incomplete run`, actual }];
}

function isWay(before: string, state: string): boolean {
  return !STATED.includes(state) || (GRAPH[before]?.includes(state) ?? true);
}

function incompleteRuns(tale: Tale): readonly RunTold[] {
  return allRuns(tale).filter(({ state }) => state === 'incomplete');
}

function started(runs: Tale['runs']): Tale['runs'] {
  return runs.filter(({ data, name }) => name === IN_PROGRESS && typeof get(data, 'started_at') === 'number');
}

function inState(...states: readonly string[]) {
  return only(runAnswers(), ({ runs }) => runs.some(({ run }) => states.includes(text(run, 'status') ?? '')));
}

/** Fields that are set though the run is in one of these states. */
function wrongWhile({ runs }: RunAnswer, states: readonly string[], fields: readonly string[]): Complaint[] {
  return runs
    .filter(({ run }) => states.includes(text(run, 'status') ?? ''))
    .flatMap(({ at, run }) =>
      fields
        .filter((field) => (get(run, field) ?? null) !== null)
        .map((field) => ({
          at: `${at}/${field}`,
          expected: `null while ${text(run, 'status')}`,
          actual: get(run, field),
        })),
    );
}
