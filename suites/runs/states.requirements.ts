import { inTurn } from '../generate/in-turn.ts';
import { rowOf } from '../rows/rows.ts';
import { allEdits, eventsWhere, inResponse, removeValue, setValue } from '../vocabulary/changes.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { fieldIs, violation } from '../vocabulary/statements.ts';
import type { Edit, Json, Mutation, Violation } from '../vocabulary/types.ts';
import {
  editRunEvents,
  eventsNamed,
  inEachOperation,
  insertAfterRunEvents,
  renameRunEvents,
} from './mutations.ts';
import { type RunResponse, runResponses, runsIn, setWhile } from './runs.ts';
import {
  COMPLETED,
  type RunStream,
  runStreams,
  STREAMING_OPERATIONS,
  type StreamedRun,
  streamedRuns,
  WAITING,
} from './streams.ts';

const IN_PROGRESS = 'thread.run.in_progress';

const inOnePiece = that<RunResponse>('in one piece', ({ streamed }) => !streamed);

export const runsCreateQueued = rowOf('runs.create.queued', {
  evidence: where(runResponses, inOnePiece),
  check: ({ runs: [first] }) => fieldIs(first?.run, 'status', 'queued'),
});

const queued = that<RunResponse>(
  'with status queued',
  ({ runs: [first] }) => valueAtPath(first?.run, 'status') === 'queued',
);

export const runsCreateNotStarted = rowOf('runs.create.not-started', {
  evidence: where(runResponses, inOnePiece, queued),
  check: (answer) => setWhile(answer, ['queued'], ['started_at']),
  broken_by: {
    'that of its creation': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      inResponse(operation, (run) => setValue('/started_at', valueAtPath(run, 'created_at') ?? null)(run)),
    ),
  },
});

const STATED = ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'];

/** Transitions by state. The specification says nothing about other states, nor about what follows `requires_action`. */
const GRAPH: Readonly<Record<string, readonly string[]>> = {
  queued: ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'],
  in_progress: ['in_progress', 'requires_action', 'completed', 'incomplete'],
  completed: ['completed'],
  incomplete: ['incomplete'],
};

const moving = that<RunStream>('with two states of the run', (stream) => streamedRuns(stream).length > 1);

export const runsStatesPath = rowOf('runs.states.path', {
  evidence: where(runStreams, moving),
  check: (stream) =>
    streamedRuns(stream).flatMap(({ at, state }, i, all): Violation[] => {
      const before = all[i - 1]?.state;
      if (before === undefined || isWay(before, state)) return [];
      return [violation(`${at} /status`, `a state that can follow ${before}`, state)];
    }),
  broken_by: {
    'waits after completion': insertAfterRunEvents(
      COMPLETED,
      WAITING,
      setValue('/status', 'requires_action'),
    ),
    'completes after ending incomplete': insertAfterRunEvents(
      'thread.run.incomplete',
      COMPLETED,
      setValue('/status', 'completed'),
    ),
  },
});

export const runsRequiredActionOnlyWhileWaiting = rowOf('runs.required-action.only-while-waiting', {
  evidence: runsIn('queued', 'in_progress', 'completed'),
  check: (answer) => setWhile(answer, ['queued', 'in_progress', 'completed'], ['required_action']),
});

export const incompleteDetailsOnlyWhenIncomplete = rowOf('runs.incomplete-details.only-when-incomplete', {
  evidence: runsIn('queued', 'in_progress', 'requires_action', 'completed'),
  check: (answer) =>
    setWhile(answer, ['queued', 'in_progress', 'requires_action', 'completed'], ['incomplete_details']),
});

function isWay(before: string, state: string): boolean {
  return !STATED.includes(state) || (GRAPH[before]?.includes(state) ?? true);
}

const withStart = that<RunStream>('with started_at', ({ runs }) => started(runs).length > 0);
const goingOn = that<RunStream>(
  'that goes on after in_progress',
  ({ runs }) => runs.at(-1)?.name !== IN_PROGRESS,
);

export const runsStreamStartedAtKept = rowOf('runs.stream.started-at-kept', {
  evidence: where(runStreams, withStart, goingOn),
  check: ({ runs }) => {
    const [first] = started(runs);
    const later = runs.filter(({ place }) => place > (first?.place ?? 0));
    const expected = valueAtPath(first?.data, 'started_at');
    return later
      .filter(({ data }) => valueAtPath(data, 'started_at') !== expected)
      .map(({ at, data }) =>
        violation(
          `${at} /started_at`,
          `${JSON.stringify(expected)} as in ${first?.at}`,
          valueAtPath(data, 'started_at'),
        ),
      );
  },
});

export const runsTimesCompletedHasNoOtherEnd = rowOf('runs.times.completed-has-no-other-end', {
  evidence: runsIn('completed'),
  check: (answer) => setWhile(answer, ['completed'], ['failed_at', 'cancelled_at']),
});

export const runsTimesStarted = rowOf('runs.times.started', {
  evidence: runsIn('requires_action', 'completed'),
  check: ({ runs }) =>
    runs
      .filter(({ run }) => ['requires_action', 'completed'].includes(textAt(run, 'status') ?? ''))
      .filter(({ run }) => !Number.isInteger(valueAtPath(run, 'started_at')))
      .map(({ at, run }) => violation(`${at}/started_at`, 'a time', valueAtPath(run, 'started_at'))),
});

function started(runs: RunStream['runs']): RunStream['runs'] {
  return runs.filter(
    ({ data, name }) => name === IN_PROGRESS && typeof valueAtPath(data, 'started_at') === 'number',
  );
}

const incomplete = where(
  runStreams,
  that('of a run that became incomplete', (stream) => statesIn(stream, 'incomplete').length > 0),
);

export const runsIncompleteDetailsSet = rowOf('runs.incomplete-details.set', {
  evidence: incomplete,
  check: (stream) => withoutObject(statesIn(stream, 'incomplete'), 'incomplete_details'),
});

export const runsTimesIncompleteHasNoOtherEnd = rowOf('runs.times.incomplete-has-no-other-end', {
  evidence: incomplete,
  check: (stream) =>
    statesIn(stream, 'incomplete').flatMap(({ at, run }) =>
      ['completed_at', 'failed_at', 'cancelled_at']
        .filter((field) => (valueAtPath(run, field) ?? null) !== null)
        .map((field) => violation(`${at} /${field}`, 'null while incomplete', valueAtPath(run, field))),
    ),
  broken_by: {
    'completed, too': ending(setValue('/completed_at', 1)),
    'failed, too': ending(setValue('/failed_at', 1)),
    'cancelled, too': ending(setValue('/cancelled_at', 1)),
  },
});

export const runsTimesIncompleteStarted = rowOf('runs.times.incomplete-started', {
  evidence: incomplete,
  check: (stream) =>
    statesIn(stream, 'incomplete')
      .filter(({ run }) => !Number.isInteger(valueAtPath(run, 'started_at')))
      .map(({ at, run }) => violation(`${at} /started_at`, 'a time', valueAtPath(run, 'started_at'))),
  broken_by: { 'no time': ending(setValue('/started_at', null)), absent: ending(removeValue('/started_at')) },
});

export const runsFailedTellsWhy = rowOf('runs.failed.tells-why', {
  evidence: where(runStreams, (stream) => statesIn(stream, 'failed').length > 0),
  check: (stream) => withoutObject(statesIn(stream, 'failed'), 'last_error'),
  broken_by: {
    null: failing(setValue('/last_error', null)),
    absent: failing(removeValue('/last_error')),
    'only a text': failing(setValue('/last_error', 'server_error')),
  },
});

export const runsFailedTellsWhen = rowOf('runs.failed.tells-when', {
  evidence: where(runStreams, (stream) => statesIn(stream, 'failed').length > 0),
  check: (stream) =>
    statesIn(stream, 'failed')
      .filter(({ run }) => numberAt(run, 'failed_at') === undefined)
      .map(({ at, run }) => violation(`${at} /failed_at`, 'a time', valueAtPath(run, 'failed_at'))),
  broken_by: {
    'no time': failing(setValue('/failed_at', null)),
    'another time instead': failing(allEdits(removeValue('/failed_at'), setValue('/completed_at', 1))),
  },
});

const withBudget = that<RunStream>('of a run that ended, with a budget', (stream) =>
  ended(stream).some(({ run }) => BUDGETS.some(([field]) => typeof valueAtPath(run, field) === 'number')),
);

export const runsBudgetCompletedWithin = rowOf('runs.budget.completed-within', {
  evidence: where(runStreams, withBudget),
  check: (stream) =>
    ended(stream).flatMap(({ at, run }) => BUDGETS.flatMap(([field, used]) => excess(run, at, field, used))),
  broken_by: {
    'failed instead': inTurn(
      editRunEvents(
        eventsNamed(COMPLETED),
        allEdits(setValue('/status', 'failed'), setValue('/usage/prompt_tokens', 1_000_000_000)),
      ),
      renameRunEvents(COMPLETED, 'thread.run.failed'),
    ),
  },
});

const BUDGETS = [
  ['max_prompt_tokens', 'prompt_tokens'],
  ['max_completion_tokens', 'completion_tokens'],
] as const;

function ended(stream: RunStream): readonly StreamedRun[] {
  return streamedRuns(stream).filter(({ state }) => ['completed', 'failed', 'expired'].includes(state));
}

function excess(run: Json | undefined, at: string, field: string, used: string): Violation[] {
  const most = valueAtPath(run, field);
  const actual = valueAtPath(run, 'usage', used);
  if (typeof most !== 'number' || typeof actual !== 'number' || actual <= most) return [];
  return [violation(`${at} /usage/${used}`, `at most ${most}, or an incomplete run`, actual)];
}

function statesIn(stream: RunStream, state: string): readonly StreamedRun[] {
  return streamedRuns(stream).filter((observed) => observed.state === state);
}

function withoutObject(runs: readonly StreamedRun[], field: string): Violation[] {
  return runs
    .filter(({ run }) => !isObject(valueAtPath(run, field)))
    .map(({ at, run }) => violation(`${at} /${field}`, 'an object', valueAtPath(run, field)));
}

function ending(edit: Edit): Mutation {
  return editRunEvents(
    eventsWhere((data) => textAt(data, 'object') === 'thread.run' && textAt(data, 'status') === 'incomplete'),
    edit,
  );
}

function failing(edit: Edit): Mutation {
  return inTurn(
    editRunEvents(eventsNamed(COMPLETED), allEdits(setValue('/status', 'failed'), edit)),
    renameRunEvents(COMPLETED, 'thread.run.failed'),
  );
}
