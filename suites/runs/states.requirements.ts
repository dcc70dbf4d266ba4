import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { followed, inEach, lastNamed, moved, named, retold } from './breaking.ts';
import { runAnswers, runsIn, setWhile } from './run.ts';
import { allRuns, COMPLETED, STREAMING, tales, WAITING } from './tale.ts';

const STATES = '1 Run';
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

export const notStarted = requirement({
  id: 'runs.create.not-started',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Common shapes',
  says: 'A run that was just created has no time of its start.',
  // Of streams the schemas of their events say so.
  on: only(
    runAnswers(),
    ({ streamed, runs: [first] }) => !streamed && get(first?.run, 'status') === 'queued',
  ),
  check: (answer) => setWhile(answer, ['queued'], ['started_at']),
  breaks: {
    'a time': inEach(STREAMING, (operation) => inAnswer(operation, put('/started_at', 1))),
    'that of its creation': inEach(STREAMING, (operation) =>
      inAnswer(operation, (run) => put('/started_at', get(run, 'created_at') ?? null)(run)),
    ),
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

export const actionOnlyWaiting = requirement({
  id: 'runs.required-action.only-while-waiting',
  level: 'MUST',
  basis: 'implied',
  spec: STATES,
  says: 'A run that does not wait for outputs has no required_action.',
  on: runsIn('queued', 'in_progress', 'completed'),
  check: (answer) => setWhile(answer, ['queued', 'in_progress', 'completed'], ['required_action']),
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
  on: runsIn('queued', 'in_progress', 'requires_action', 'completed'),
  check: (answer) =>
    setWhile(answer, ['queued', 'in_progress', 'requires_action', 'completed'], ['incomplete_details']),
  breaks: {
    'in the end': retold(named(COMPLETED), put('/incomplete_details', { reason: 'max_completion_tokens' })),
    'in the answer': inEach(STREAMING, (operation) => inAnswer(operation, put('/incomplete_details', {}))),
  },
});

function isWay(before: string, state: string): boolean {
  return !STATED.includes(state) || (GRAPH[before]?.includes(state) ?? true);
}
