import { rowOf } from '../rows/rows.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { type RunStream, runStreams, type StreamedRun } from './streams.ts';

const IN_PROGRESS = 'thread.run.in_progress';

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

function started(runs: RunStream['runs']): RunStream['runs'] {
  return runs.filter(
    ({ data, name }) => name === IN_PROGRESS && typeof valueAtPath(data, 'started_at') === 'number',
  );
}

const BUDGETS = [
  ['max_prompt_tokens', 'prompt_tokens'],
  ['max_completion_tokens', 'completion_tokens'],
] as const;

const withBudget = that<RunStream>('of a run that ended, with a budget', (stream) =>
  ended(stream).some(({ value }) => BUDGETS.some(([field]) => typeof valueAtPath(value, field) === 'number')),
);

export const runsBudgetCompletedWithin = rowOf('runs.budget.completed-within', {
  evidence: where(runStreams, withBudget),
  check: (stream) =>
    ended(stream).flatMap(({ at, value }) =>
      BUDGETS.flatMap(([field, used]) => excess(value, at, field, used)),
    ),
});

function ended({ states }: RunStream): readonly StreamedRun[] {
  return states.filter(({ state }) => ['completed', 'failed', 'expired'].includes(state));
}

function excess(run: Json | undefined, at: string, field: string, used: string): Violation[] {
  const most = valueAtPath(run, field);
  const actual = valueAtPath(run, 'usage', used);
  if (typeof most !== 'number' || typeof actual !== 'number' || actual <= most) return [];
  return [violation(`${at} /usage/${used}`, `at most ${most}, or an incomplete run`, actual)];
}
