import { choiceOf } from '../rows/rows.ts';
import { setValue } from '../vocabulary/changes.ts';
import { keysOf, stateOf, totalState, usageSum } from '../vocabulary/choice-values.ts';
import { numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';
import { runResponses } from './selectors/run.ts';
import { editRuns, insertAfterRunEvents, setInRunEvents } from './streams/mutations.ts';
import { COMPLETED, type RunStream, runStreams, streamedRuns, WAITING } from './streams/run-stream.ts';

const SHOWN = ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'];

const OTHERS = ['cancelling', 'cancelled', 'failed', 'expired'];
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Streams that show their run in this state. */
const inState = (state: string) => where(runStreams, (stream) => runIn(stream, state) !== undefined);

export const runsStatusValues = choiceOf('runs.status.values', {
  selector: runStreams,
  taken: (stream) => streamedRuns(stream).find(({ state }) => !SHOWN.includes(state))?.state ?? null,
  examples: Object.fromEntries(
    OTHERS.map((state) => [state, setInRunEvents('thread.run.incomplete', '/status', state)]),
  ),
});

export const runsStatusOtherMoves = choiceOf('runs.status.other-moves', {
  selector: where(runStreams, (stream) => streamedRuns(stream).length > 1),
  taken: (stream) => {
    const states = streamedRuns(stream).map(({ state }) => state);
    const ways = states.slice(1).map((state, i) => [states[i] ?? '', state] as const);
    const other = ways.find(
      ([from, to]) => from !== to && (from === 'requires_action' || !SHOWN.includes(to)),
    );
    return other === undefined ? null : other.join(' to ');
  },
  examples: {
    'in_progress to failed': setInRunEvents('thread.run.incomplete', '/status', 'failed'),
    'requires_action to queued': insertAfterRunEvents(
      WAITING,
      'thread.run.queued',
      setValue('/status', 'queued'),
    ),
  },
});

export const runsRequiredActionFields = choiceOf('runs.required-action.fields', {
  selector: inState('requires_action'),
  taken: (stream) => keysOf(valueAtPath(runIn(stream, 'requires_action'), 'required_action')),
  examples: { kind: setInRunEvents(WAITING, '/required_action', { kind: 'outputs' }) },
});

export const runsIncompleteDetailsFields = choiceOf('runs.incomplete-details.fields', {
  selector: inState('incomplete'),
  taken: (stream) => keysOf(valueAtPath(runIn(stream, 'incomplete'), 'incomplete_details')),
  examples: { why: setInRunEvents('thread.run.incomplete', '/incomplete_details', { why: 'tokens' }) },
});

export const runsLastErrorFields = choiceOf('runs.last-error.fields', {
  selector: inState('failed'),
  taken: (stream) => keysOf(valueAtPath(runIn(stream, 'failed'), 'last_error')),
  examples: { message: setInRunEvents('thread.run.failed', '/last_error', { message: 'Sorry.' }) },
});

export const runsUsageSum = choiceOf('runs.usage.sum', {
  selector: inState('completed'),
  taken: (stream) => usageSum(valueAtPath(runIn(stream, 'completed'), 'usage')),
  examples: { 'another number': setInRunEvents(COMPLETED, '/usage/total_tokens', 123_456) },
});

export const runsUsageOfSteps = choiceOf('runs.usage.of-steps', {
  selector: where(inState('completed'), ({ steps }) => steps.length > 0),
  taken: (stream) => {
    const parts = stream.steps.map(({ events }) => numberAt(events.at(-1)?.data, 'usage', 'total_tokens'));
    return totalState(numberAt(runIn(stream, 'completed'), 'usage', 'total_tokens'), parts);
  },
  examples: { 'another number': setInRunEvents(COMPLETED, '/usage/total_tokens', 123_456) },
});

export const runsUsageWhileWaiting = choiceOf('runs.usage.while-waiting', {
  selector: inState('requires_action'),
  taken: (stream) => stateOf(valueAtPath(runIn(stream, 'requires_action'), 'usage'), 'told'),
  examples: { told: setInRunEvents(WAITING, '/usage', USAGE) },
});

export const runsUsageWhileQueued = choiceOf('runs.usage.while-queued', {
  selector: where(runResponses, ({ runs: [first] }) => textAt(first?.run, 'status') === 'queued'),
  taken: ({ runs: [first] }) => stateOf(valueAtPath(first?.run, 'usage'), 'told'),
  examples: { told: editRuns(setValue('/usage', USAGE)) },
});

export const runsExpiresAtAfterTheEnd = choiceOf('runs.expires-at.after-the-end', {
  selector: inState('completed'),
  taken: (stream) => stateOf(valueAtPath(runIn(stream, 'completed'), 'expires_at'), 'told'),
  examples: { told: setInRunEvents(COMPLETED, '/expires_at', 4_000_000_000) },
});

function runIn(stream: RunStream, wanted: string): Json | undefined {
  return streamedRuns(stream).find(({ state }) => state === wanted)?.run;
}
