import { inResponse, setIn, setValue } from '../vocabulary/changes.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../vocabulary/statements.ts';
import type { Violation } from '../vocabulary/types.ts';
import { type RunResponse, runResponses, runsIn, setWhile } from './selectors/run.ts';
import {
  editRunEvents,
  eventsNamed,
  inEachOperation,
  insertAfterRunEvents,
  lastEventNamed,
  moveRunEvents,
  setInRunEvents,
} from './streams/mutations.ts';
import {
  COMPLETED,
  type RunStream,
  runStreams,
  STREAMING_OPERATIONS,
  streamedRuns,
  WAITING,
} from './streams/run-stream.ts';

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
  // Of streams the schemas of their events say so.
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

/** From each state those that may follow. Of other states, and of the ways from `requires_action`, nothing is said. */
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
