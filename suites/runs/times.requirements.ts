import { removeValue, setValue } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import { runsIn, setWhile } from './selectors/run.ts';
import { editRunEvents, editRuns, eventsNamed, setInRunEvents } from './streams/mutations.ts';
import { COMPLETED, type RunStream, runStreams, WAITING } from './streams/run-stream.ts';

const { stated, implied } = section('1 Common shapes');
const IN_PROGRESS = 'thread.run.in_progress';

const withStart = that<RunStream>('with started_at', ({ runs }) => started(runs).length > 0);
const goingOn = that<RunStream>(
  'that goes on after in_progress',
  ({ runs }) => runs.at(-1)?.name !== IN_PROGRESS,
);

export const runsStreamStartedAtKept = implied('runs.stream.started-at-kept', {
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
  says: 'A completed run has no time of failure or cancellation.',
  selector: runsIn('completed'),
  check: (answer) => setWhile(answer, ['completed'], ['failed_at', 'cancelled_at']),
  mutations: {
    'failed, too': editRuns(setValue('/failed_at', 1)),
    'cancelled, too': editRuns(setValue('/cancelled_at', 1)),
  },
});

export const runsTimesStarted = stated('runs.times.started', {
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
