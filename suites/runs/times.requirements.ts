import { put, remove } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { inRuns, named, retold } from './breaking.ts';
import { runsIn, setWhile } from './run.ts';
import { COMPLETED, type Tale, tales, WAITING } from './tale.ts';

const SHAPES = '1 Common shapes';
const IN_PROGRESS = 'thread.run.in_progress';

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
  on: runsIn('completed'),
  check: (answer) => setWhile(answer, ['completed'], ['failed_at', 'cancelled_at']),
  breaks: {
    'failed, too': inRuns(put('/failed_at', 1)),
    'cancelled, too': inRuns(put('/cancelled_at', 1)),
  },
});

export const startedAt = requirement({
  id: 'runs.times.started',
  level: 'MUST',
  basis: 'implied',
  spec: SHAPES,
  says: 'A run that waits for outputs, or has completed, tells when it started.',
  on: runsIn('requires_action', 'completed'),
  check: ({ runs }) =>
    runs
      .filter(({ run }) => ['requires_action', 'completed'].includes(text(run, 'status') ?? ''))
      .filter(({ run }) => !Number.isInteger(get(run, 'started_at')))
      .map(({ at, run }) => ({
        at: `${at}/started_at`,
        expected: 'a time',
        actual: get(run, 'started_at'),
      })),
  breaks: {
    'no time in the end': retold(named(COMPLETED), put('/started_at', null)),
    'no time while waiting': retold(named(WAITING), remove('/started_at')),
  },
});

function started(runs: Tale['runs']): Tale['runs'] {
  return runs.filter(({ data, name }) => name === IN_PROGRESS && typeof get(data, 'started_at') === 'number');
}
