import type { Json } from '../../exchange/body.ts';
import { all, type Edit, put, remove } from '../../judge/edit/values.ts';
import { get, isObject } from '../../judge/json.ts';
import type { Break, Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { inTurn } from '../generate/in-turn.ts';
import { inObjects, named, renamed, retold } from './breaking.ts';
import { allRuns, COMPLETED, type RunTold, type Tale, tales } from './tale.ts';

/** The event of an incomplete run has no stated name; a run in it is a run all the same. */
const incomplete = only(tales(), (tale) => runsIn(tale, 'incomplete').length > 0);

export const detailsSet = requirement({
  id: 'runs.incomplete-details.set',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Errors',
  says: 'A run that ended incomplete has incomplete_details.',
  on: incomplete,
  check: (tale) => withoutObject(runsIn(tale, 'incomplete'), 'incomplete_details'),
  breaks: {
    null: inObjects('thread.run', put('/incomplete_details', null)),
    absent: inObjects('thread.run', remove('/incomplete_details')),
    'only a text': inObjects('thread.run', put('/incomplete_details', 'max_completion_tokens')),
  },
});

export const failedWhy = requirement({
  id: 'runs.failed.tells-why',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Errors',
  says: 'A run that failed records details in last_error.',
  on: only(tales(), (tale) => runsIn(tale, 'failed').length > 0),
  check: (tale) => withoutObject(runsIn(tale, 'failed'), 'last_error'),
  breaks: {
    null: failing(put('/last_error', null)),
    absent: failing(remove('/last_error')),
    'only a text': failing(put('/last_error', 'server_error')),
  },
});

export const budget = requirement({
  id: 'runs.budget.completed-within',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Errors',
  says: 'A run that has used more tokens than its budgets ends incomplete.',
  on: only(tales(), (tale) =>
    ended(tale).some(({ run }) => BUDGETS.some(([field]) => typeof get(run, field) === 'number')),
  ),
  check: (tale) =>
    ended(tale).flatMap(({ at, run }) => BUDGETS.flatMap(([field, used]) => excess(run, at, field, used))),
  breaks: {
    'too much was read': retold(named(COMPLETED), put('/usage/prompt_tokens', 1_000_000_000)),
    'failed instead': inTurn(
      retold(named(COMPLETED), all(put('/status', 'failed'), put('/usage/prompt_tokens', 1_000_000_000))),
      renamed(COMPLETED, 'thread.run.failed'),
    ),
    'too much was written': retold(named(COMPLETED), put('/usage/completion_tokens', 1_000_000_000)),
  },
});

const BUDGETS = [
  ['max_prompt_tokens', 'prompt_tokens'],
  ['max_completion_tokens', 'completion_tokens'],
] as const;

/** Runs that have ended, and not incomplete. */
function ended(tale: Tale): readonly RunTold[] {
  return allRuns(tale).filter(({ state }) => ['completed', 'failed', 'expired'].includes(state));
}

function excess(run: Json | undefined, at: string, field: string, used: string): Complaint[] {
  const most = get(run, field);
  const actual = get(run, 'usage', used);
  if (typeof most !== 'number' || typeof actual !== 'number' || actual <= most) return [];
  return [{ at: `${at} /usage/${used}`, expected: `at most ${most}, or an incomplete run`, actual }];
}

function runsIn(tale: Tale, state: string): readonly RunTold[] {
  return allRuns(tale).filter((told) => told.state === state);
}

function withoutObject(runs: readonly RunTold[], field: string): Complaint[] {
  return runs
    .filter(({ run }) => !isObject(get(run, field)))
    .map(({ at, run }) => ({ at: `${at} /${field}`, expected: 'an object', actual: get(run, field) }));
}

/** A run that completed has failed instead, as this edit tells it. */
function failing(edit: Edit): Break {
  return inTurn(
    retold(named(COMPLETED), all(put('/status', 'failed'), edit)),
    renamed(COMPLETED, 'thread.run.failed'),
  );
}
