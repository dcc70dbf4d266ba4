import { forcedFunctionName } from '../chat/completions.ts';
import { rowOf } from '../rows/rows.ts';
import { textAt } from '../vocabulary/json.ts';
import { that, where, withCompliance } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, WithCompliance } from '../vocabulary/types.ts';
import { type RunStream, runStreams } from './streams.ts';

const finishedStreams = where(
  runStreams,
  that('of a run that completed or waits', ({ isAtRest }) => isAtRest),
);

/** A missing call is inconclusive, unless the run waits for outputs or the target enforced the choice elsewhere. */
function inconclusiveIfModel({ waiting, isCompliedElsewhere }: WithCompliance<RunStream>) {
  return isCompliedElsewhere || waiting !== undefined ? {} : { inconclusive: 'model' as const };
}

export const runsToolsForcedFunctionCalled = rowOf('runs.tools.forced-function-called', {
  evidence: withCompliance(
    where(
      finishedStreams,
      that('whose tool_choice names a function', ({ asked }) => forcedFunctionName(asked) !== undefined),
    ),
    ({ calls }) => calls.length > 0,
  ),
  check: (stream) => {
    const names = stream.calls.map(({ name }) => name ?? null);
    const forcedName = forcedFunctionName(stream.asked);
    if (names.some((name) => name === forcedName)) return [];
    const missing = violation('step deltas', `calls of ${forcedName}`, names);
    return [names.length === 0 ? { ...missing, ...inconclusiveIfModel(stream) } : missing];
  },
});

export const runsToolsRequiredCallsSome = rowOf('runs.tools.required-calls-some', {
  evidence: withCompliance(
    where(
      finishedStreams,
      that('whose tool_choice requires a tool call', ({ asked }) => requiresToolCall(asked)),
    ),
    (stream) => stepTypes(stream).includes('tool_calls'),
  ),
  check: (stream) => {
    const types = stepTypes(stream);
    if (types.includes('tool_calls')) return [];
    return [{ ...violation('steps', 'one of type tool_calls', types), ...inconclusiveIfModel(stream) }];
  },
});

function stepTypes({ steps }: RunStream): readonly (string | null)[] {
  return steps.map(({ events: [first] }) => textAt(first?.data, 'type') ?? null);
}

function requiresToolCall(body: Json | undefined): boolean {
  return textAt(body, 'tool_choice') === 'required' || textAt(body, 'tool_choice', 'type') !== undefined;
}
