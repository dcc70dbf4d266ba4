import { rowOf } from '../rows/rows.ts';
import { eventsWhere, setValue } from '../vocabulary/changes.ts';
import { editFrame, frameWithData } from '../vocabulary/exchanges.ts';
import { textAt } from '../vocabulary/json.ts';
import { that, where, withCompliance } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { StreamFrame, WithCompliance } from '../vocabulary/types.ts';
import { dropRunEvents, inLastRunStream, rewriteRunStreams } from './mutations.ts';
import { COMPLETED, type RunStream, runStreams, WAITING } from './streams.ts';

const STEP_DELTA = 'thread.run.step.delta';

const withCalls = that<RunStream>('with a call of a function', (stream) => stream.calls.length > 0);

/** A failed or interrupted run proves nothing about the model. */
const rested = where(
  runStreams,
  that('of a run that completed or waits', ({ runs }) =>
    runs.some(({ name }) => name === COMPLETED || name === WAITING),
  ),
);

/**
 * A model may answer in words, and the run completes. A waiting run has not refused, and a target that enforces the choice once
 * enforces it always.
 */
function ownChoice({ runs, isCompliedElsewhere }: WithCompliance<RunStream>): {
  readonly inconclusive?: 'model';
} {
  return isCompliedElsewhere || runs.some(({ name }) => name === WAITING) ? {} : { inconclusive: 'model' };
}

export const runsToolsForcedFunctionCalled = rowOf('runs.tools.forced-function-called', {
  evidence: withCompliance(
    where(
      rested,
      that('whose tool_choice names a function', ({ asked }) => forcedName(asked) !== undefined),
    ),
    (stream) => stream.calls.length > 0,
  ),
  check: (stream) => {
    const names = stream.calls.map(({ name }) => name ?? null);
    const wanted = forcedName(stream.asked);
    if (names.length > 0 && names.every((name) => name === wanted)) return [];
    const found = violation('step deltas', `calls of ${wanted}`, names);
    return [names.length === 0 ? { ...found, ...ownChoice(stream) } : found];
  },
  broken_by: {
    'one is answered in words': inLastRunStream(
      (asked) => forcedName(asked) !== undefined,
      (frames) => inWords(frames),
    ),
  },
});

const madeTo = that<RunStream>('whose tool_choice is required', ({ asked }) => isMadeTo(asked));

export const runsToolsRequiredCallsSome = rowOf('runs.tools.required-calls-some', {
  evidence: withCompliance(where(rested, madeTo), (stream) => stepTypes(stream).includes('tool_calls')),
  check: (stream) => {
    const types = stepTypes(stream);
    if (types.includes('tool_calls')) return [];
    return [{ at: 'steps', expected: 'one of type tool_calls', actual: types, ...ownChoice(stream) }];
  },
  broken_by: {
    'no step': dropRunEvents(eventsWhere((_, event) => event.startsWith('thread.run.step.'))),
    'one is answered in words': inLastRunStream(isMadeTo, (frames) => inWords(frames)),
  },
});

export const runsToolsCallsWaitForOutputs = rowOf('runs.tools.calls-wait-for-outputs', {
  evidence: where(rested, withCalls),
  check: ({ runs }) => {
    const end = runs.find(({ name }) => name === COMPLETED);
    const wait = runs.find(({ name }) => name === WAITING);
    if (end === undefined || (wait !== undefined && wait.place < end.place)) return [];
    return [violation(end.at, `${WAITING} before it`, end.name)];
  },
  broken_by: {
    'completes first': rewriteRunStreams((frames) =>
      frames.flatMap((frame) =>
        frame.event === WAITING ? [frameWithData(COMPLETED, frame.data), frame] : [frame],
      ),
    ),
    'completes at once': rewriteRunStreams((frames) =>
      frames.map((frame) => (frame.event === WAITING ? frameWithData(COMPLETED, frame.data) : frame)),
    ),
  },
});

function stepTypes({ steps }: RunStream): readonly (string | null)[] {
  return steps.map(({ events: [first] }) => textAt(first?.data, 'type') ?? null);
}

function inWords(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  return frames.flatMap((frame) => {
    if (frame.event === STEP_DELTA) return [];
    if (frame.event === WAITING) return [frameWithData(COMPLETED, frame.data)];
    if (!frame.event.startsWith('thread.run.step.')) return [frame];
    return [editFrame(frame, setValue('/type', 'message_creation'))];
  });
}

function forcedName(asked: RunStream['asked']): string | undefined {
  return textAt(asked, 'tool_choice', 'function', 'name');
}

function isMadeTo(asked: RunStream['asked']): boolean {
  return textAt(asked, 'tool_choice') === 'required' || textAt(asked, 'tool_choice', 'type') !== undefined;
}
