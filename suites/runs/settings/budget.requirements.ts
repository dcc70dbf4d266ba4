import { inTurn } from '../../generate/in-turn.ts';
import { allEdits, eventsWhere, removeValue, setValue } from '../../vocabulary/changes.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Edit, Json, Mutation, Violation } from '../../vocabulary/types.ts';
import {
  editRunEvents,
  editStreamedObjects,
  eventsNamed,
  renameRunEvents,
  setInRunEvents,
} from '../streams/mutations.ts';
import {
  COMPLETED,
  type RunStream,
  runStreams,
  type StreamedRun,
  streamedRuns,
} from '../streams/run-stream.ts';

const { stated, implied } = section('1 Errors');

/** The event of an incomplete run has no stated name; a run in it is a run all the same. */
const incomplete = where(
  runStreams,
  that('of a run that became incomplete', (stream) => runsIn(stream, 'incomplete').length > 0),
);

export const runsIncompleteDetailsSet = stated('runs.incomplete-details.set', {
  says: 'A run that ended incomplete has incomplete_details.',
  selector: incomplete,
  check: (stream) => withoutObject(runsIn(stream, 'incomplete'), 'incomplete_details'),
  mutations: {
    null: editStreamedObjects('thread.run', setValue('/incomplete_details', null)),
    absent: editStreamedObjects('thread.run', removeValue('/incomplete_details')),
    'only a text': editStreamedObjects(
      'thread.run',
      setValue('/incomplete_details', 'max_completion_tokens'),
    ),
  },
});

export const runsTimesIncompleteHasNoOtherEnd = implied('runs.times.incomplete-has-no-other-end', {
  spec: '1 Common shapes',
  says: 'A run that ended incomplete has no time of completion, failure or cancellation.',
  selector: incomplete,
  check: (stream) =>
    runsIn(stream, 'incomplete').flatMap(({ at, run }) =>
      ['completed_at', 'failed_at', 'cancelled_at']
        .filter((field) => (valueAtPath(run, field) ?? null) !== null)
        .map((field) => violation(`${at} /${field}`, 'null while incomplete', valueAtPath(run, field))),
    ),
  mutations: {
    'completed, too': ending(setValue('/completed_at', 1)),
    'failed, too': ending(setValue('/failed_at', 1)),
    'cancelled, too': ending(setValue('/cancelled_at', 1)),
  },
});

export const runsTimesIncompleteStarted = implied('runs.times.incomplete-started', {
  spec: '1 Common shapes',
  says: 'A run that ended incomplete shows when it started.',
  selector: incomplete,
  check: (stream) =>
    runsIn(stream, 'incomplete')
      .filter(({ run }) => !Number.isInteger(valueAtPath(run, 'started_at')))
      .map(({ at, run }) => violation(`${at} /started_at`, 'a time', valueAtPath(run, 'started_at'))),
  mutations: {
    'no time': ending(setValue('/started_at', null)),
    absent: ending(removeValue('/started_at')),
  },
});

export const runsFailedTellsWhy = stated('runs.failed.tells-why', {
  says: 'A run that failed records details in last_error.',
  selector: where(runStreams, (stream) => runsIn(stream, 'failed').length > 0),
  check: (stream) => withoutObject(runsIn(stream, 'failed'), 'last_error'),
  mutations: {
    null: failing(setValue('/last_error', null)),
    absent: failing(removeValue('/last_error')),
    'only a text': failing(setValue('/last_error', 'server_error')),
  },
});

export const runsFailedTellsWhen = stated('runs.failed.tells-when', {
  spec: '1 Common shapes',
  says: 'A run that failed shows when it failed.',
  selector: where(runStreams, (stream) => runsIn(stream, 'failed').length > 0),
  check: (stream) =>
    runsIn(stream, 'failed')
      .filter(({ run }) => numberAt(run, 'failed_at') === undefined)
      .map(({ at, run }) => violation(`${at} /failed_at`, 'a time', valueAtPath(run, 'failed_at'))),
  mutations: {
    'no time': failing(setValue('/failed_at', null)),
    'another time instead': failing(allEdits(removeValue('/failed_at'), setValue('/completed_at', 1))),
  },
});

const withBudget = that<RunStream>('of a run that ended, with a budget', (stream) =>
  ended(stream).some(({ run }) => BUDGETS.some(([field]) => typeof valueAtPath(run, field) === 'number')),
);

export const runsBudgetCompletedWithin = stated('runs.budget.completed-within', {
  says: 'A run that has used more tokens than its budgets ends incomplete.',
  selector: where(runStreams, withBudget),
  check: (stream) =>
    ended(stream).flatMap(({ at, run }) => BUDGETS.flatMap(([field, used]) => excess(run, at, field, used))),
  mutations: {
    'too much was read': setInRunEvents(COMPLETED, '/usage/prompt_tokens', 1_000_000_000),
    'failed instead': inTurn(
      editRunEvents(
        eventsNamed(COMPLETED),
        allEdits(setValue('/status', 'failed'), setValue('/usage/prompt_tokens', 1_000_000_000)),
      ),
      renameRunEvents(COMPLETED, 'thread.run.failed'),
    ),
    'too much was written': setInRunEvents(COMPLETED, '/usage/completion_tokens', 1_000_000_000),
  },
});

const BUDGETS = [
  ['max_prompt_tokens', 'prompt_tokens'],
  ['max_completion_tokens', 'completion_tokens'],
] as const;

/** Runs that have ended, and not incomplete. */
function ended(stream: RunStream): readonly StreamedRun[] {
  return streamedRuns(stream).filter(({ state }) => ['completed', 'failed', 'expired'].includes(state));
}

function excess(run: Json | undefined, at: string, field: string, used: string): Violation[] {
  const most = valueAtPath(run, field);
  const actual = valueAtPath(run, 'usage', used);
  if (typeof most !== 'number' || typeof actual !== 'number' || actual <= most) return [];
  return [violation(`${at} /usage/${used}`, `at most ${most}, or an incomplete run`, actual)];
}

function runsIn(stream: RunStream, state: string): readonly StreamedRun[] {
  return streamedRuns(stream).filter((observed) => observed.state === state);
}

function withoutObject(runs: readonly StreamedRun[], field: string): Violation[] {
  return runs
    .filter(({ run }) => !isObject(valueAtPath(run, field)))
    .map(({ at, run }) => violation(`${at} /${field}`, 'an object', valueAtPath(run, field)));
}

/** An incomplete run at its end, whatever its event is called, as this edit rewrites it. */
function ending(edit: Edit): Mutation {
  return editRunEvents(
    eventsWhere((data) => textAt(data, 'object') === 'thread.run' && textAt(data, 'status') === 'incomplete'),
    edit,
  );
}

/** A completed run that has failed instead, as this edit rewrites it. */
function failing(edit: Edit): Mutation {
  return inTurn(
    editRunEvents(eventsNamed(COMPLETED), allEdits(setValue('/status', 'failed'), edit)),
    renameRunEvents(COMPLETED, 'thread.run.failed'),
  );
}
