import { inTurn } from '../generate/in-turn.ts';
import { allEdits, eventsWhere, inResponse, removeValue, setIn, setValue } from '../vocabulary/changes.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../vocabulary/statements.ts';
import type { Edit, Json, Mutation, Violation } from '../vocabulary/types.ts';
import {
  editRunEvents,
  editRuns,
  editStreamedObjects,
  eventsNamed,
  inEachOperation,
  insertAfterRunEvents,
  lastEventNamed,
  moveRunEvents,
  renameRunEvents,
  setInRunEvents,
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

const { stated, implied } = section('1 Run');
const IN_PROGRESS = 'thread.run.in_progress';

const inOnePiece = that<RunResponse>('in one piece', ({ streamed }) => !streamed);

export const runsCreateQueued = stated('runs.create.queued', {
  says: 'A run that was just created is queued.',
  selector: where(runResponses, inOnePiece),
  check: ({ runs: [first] }) => fieldIs(first?.run, 'status', 'queued'),
  mutations: {
    'in progress': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      setIn(operation, '/status', 'in_progress'),
    ),
    completed: inEachOperation(STREAMING_OPERATIONS, (operation) => setIn(operation, '/status', 'completed')),
  },
});

const queued = that<RunResponse>(
  'with status queued',
  ({ runs: [first] }) => valueAtPath(first?.run, 'status') === 'queued',
);

export const runsCreateNotStarted = stated('runs.create.not-started', {
  spec: '1 Common shapes',
  says: 'A run that was just created has no time of its start.',
  // For streams the event schemas say so.
  selector: where(runResponses, inOnePiece, queued),
  check: (answer) => setWhile(answer, ['queued'], ['started_at']),
  mutations: {
    'a time': inEachOperation(STREAMING_OPERATIONS, (operation) => setIn(operation, '/started_at', 1)),
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

export const runsStatesPath = implied('runs.states.path', {
  says: 'A run goes from state to state along the stated ways, and from its end to none of them.',
  selector: where(runStreams, moving),
  check: (stream) =>
    streamedRuns(stream).flatMap(({ at, state }, i, all): Violation[] => {
      const before = all[i - 1]?.state;
      if (before === undefined || isWay(before, state)) return [];
      return [violation(`${at} /status`, `a state that can follow ${before}`, state)];
    }),
  mutations: {
    'queued again': editRunEvents(lastEventNamed(COMPLETED), setValue('/status', 'queued')),
    'in progress after the end': moveRunEvents(eventsNamed(IN_PROGRESS), 'back'),
    'queued after the start': moveRunEvents(eventsNamed('thread.run.queued'), 'back'),
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

export const runsRequiredActionOnlyWhileWaiting = implied('runs.required-action.only-while-waiting', {
  says: 'A run that does not wait for outputs has no required_action.',
  selector: runsIn('queued', 'in_progress', 'completed'),
  check: (answer) => setWhile(answer, ['queued', 'in_progress', 'completed'], ['required_action']),
  mutations: {
    'from the beginning': setInRunEvents('thread.run.created', '/required_action', {}),
    'in progress': setInRunEvents(IN_PROGRESS, '/required_action', {}),
    'in the end': setInRunEvents(COMPLETED, '/required_action', { type: 'submit_tool_outputs' }),
    'in the answer': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      setIn(operation, '/required_action', {}),
    ),
  },
});

export const incompleteDetailsOnlyWhenIncomplete = implied('runs.incomplete-details.only-when-incomplete', {
  says: 'A run that did not end incomplete has no incomplete_details.',
  selector: runsIn('queued', 'in_progress', 'requires_action', 'completed'),
  check: (answer) =>
    setWhile(answer, ['queued', 'in_progress', 'requires_action', 'completed'], ['incomplete_details']),
  mutations: {
    'in the end': setInRunEvents(COMPLETED, '/incomplete_details', { reason: 'max_completion_tokens' }),
    'in the answer': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      setIn(operation, '/incomplete_details', {}),
    ),
  },
});

function isWay(before: string, state: string): boolean {
  return !STATED.includes(state) || (GRAPH[before]?.includes(state) ?? true);
}

const withStart = that<RunStream>('with started_at', ({ runs }) => started(runs).length > 0);
const goingOn = that<RunStream>(
  'that goes on after in_progress',
  ({ runs }) => runs.at(-1)?.name !== IN_PROGRESS,
);

export const runsStreamStartedAtKept = implied('runs.stream.started-at-kept', {
  spec: '1 Common shapes',
  says: 'Once a run has started, all events of its stream contain the same started_at.',
  selector: where(runStreams, withStart, goingOn),
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
  mutations: {
    forgotten: setInRunEvents(COMPLETED, '/started_at', null),
    'another time': setInRunEvents('thread.run.requires_action', '/started_at', 1),
  },
});

export const runsTimesCompletedHasNoOtherEnd = implied('runs.times.completed-has-no-other-end', {
  spec: '1 Common shapes',
  says: 'A completed run has no time of failure or cancellation.',
  selector: runsIn('completed'),
  check: (answer) => setWhile(answer, ['completed'], ['failed_at', 'cancelled_at']),
  mutations: {
    'failed, too': editRuns(setValue('/failed_at', 1)),
    'cancelled, too': editRuns(setValue('/cancelled_at', 1)),
  },
});

export const runsTimesStarted = stated('runs.times.started', {
  spec: '1 Common shapes',
  says: 'A run that waits for outputs, or has completed, shows when it started.',
  selector: runsIn('requires_action', 'completed'),
  check: ({ runs }) =>
    runs
      .filter(({ run }) => ['requires_action', 'completed'].includes(textAt(run, 'status') ?? ''))
      .filter(({ run }) => !Number.isInteger(valueAtPath(run, 'started_at')))
      .map(({ at, run }) => violation(`${at}/started_at`, 'a time', valueAtPath(run, 'started_at'))),
  mutations: {
    'no time in the end': setInRunEvents(COMPLETED, '/started_at', null),
    'no time while waiting': editRunEvents(eventsNamed(WAITING), removeValue('/started_at')),
  },
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

export const runsIncompleteDetailsSet = stated('runs.incomplete-details.set', {
  spec: '1 Errors',
  says: 'A run that ended incomplete has incomplete_details.',
  selector: incomplete,
  check: (stream) => withoutObject(statesIn(stream, 'incomplete'), 'incomplete_details'),
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
    statesIn(stream, 'incomplete').flatMap(({ at, run }) =>
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
    statesIn(stream, 'incomplete')
      .filter(({ run }) => !Number.isInteger(valueAtPath(run, 'started_at')))
      .map(({ at, run }) => violation(`${at} /started_at`, 'a time', valueAtPath(run, 'started_at'))),
  mutations: {
    'no time': ending(setValue('/started_at', null)),
    absent: ending(removeValue('/started_at')),
  },
});

export const runsFailedTellsWhy = stated('runs.failed.tells-why', {
  spec: '1 Errors',
  says: 'A run that failed records details in last_error.',
  selector: where(runStreams, (stream) => statesIn(stream, 'failed').length > 0),
  check: (stream) => withoutObject(statesIn(stream, 'failed'), 'last_error'),
  mutations: {
    null: failing(setValue('/last_error', null)),
    absent: failing(removeValue('/last_error')),
    'only a text': failing(setValue('/last_error', 'server_error')),
  },
});

export const runsFailedTellsWhen = stated('runs.failed.tells-when', {
  spec: '1 Common shapes',
  says: 'A run that failed shows when it failed.',
  selector: where(runStreams, (stream) => statesIn(stream, 'failed').length > 0),
  check: (stream) =>
    statesIn(stream, 'failed')
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
  spec: '1 Errors',
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
