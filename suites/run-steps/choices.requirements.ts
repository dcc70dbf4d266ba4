import { choiceOf } from '../rows/rows.ts';
import { followUpsBy } from '../runs/runs.ts';
import { WAITING } from '../runs/streams.ts';
import { removeIn, setIn } from '../vocabulary/changes.ts';
import { keysOf, stateOf } from '../vocabulary/choice-values.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';
import { functionCalls, LIST_STEPS, RETRIEVE_STEP, repeatedSteps, stepResponses, stepsOf } from './steps.ts';

export const searches = callsOf('file_search');
export const computations = callsOf('code_interpreter');

const onlyWaiting = where(
  followUpsBy([LIST_STEPS, RETRIEVE_STEP]),
  ({ stream }) => stream?.runs.at(-1)?.name === WAITING,
);

export const runStepsCallsOutputAwaited = choiceOf('run-steps.calls.output-awaited', {
  selector: onlyWaiting,
  taken: ({ after }) => {
    const [call] = stepsOf(after).flatMap(({ value }) => functionCalls(value));
    return call === undefined ? null : stateOf(valueAtPath(call, 'function', 'output'), null, 'empty');
  },
});

export const runStepsStatusWhileWaiting = choiceOf('run-steps.status.while-waiting', {
  selector: onlyWaiting,
  taken: ({ after }) => {
    const step = stepsOf(after).find(({ value }) => functionCalls(value).length > 0);
    return textAt(step?.value, 'status') ?? null;
  },
});

export const runStepsLastErrorFields = choiceOf('run-steps.last-error.fields', {
  selector: where(stepResponses, ({ steps }) => steps.some(isFailed)),
  taken: ({ steps }) => keysOf(valueAtPath(steps.find(isFailed)?.value, 'last_error')),
});

export const runStepsStatusOtherMoves = choiceOf('run-steps.status.other-moves', {
  selector: repeatedSteps,
  taken: ({ earlier, later }) => {
    const [from, to] = [textAt(earlier.value, 'status'), textAt(later.value, 'status')];
    return from === to || to === 'completed' ? null : `${from} to ${to}`;
  },
  examples: Object.fromEntries(
    ['cancelled', 'failed', 'expired'].map((state) => [
      `in_progress to ${state}`,
      setIn(RETRIEVE_STEP, '/status', state),
    ]),
  ),
});

function isFailed({ value }: { readonly value: Json }): boolean {
  return valueAtPath(value, 'status') === 'failed';
}

function callsOf(type: 'file_search' | 'code_interpreter') {
  const callIn = (step: Json) =>
    arrayAt(step, 'step_details', 'tool_calls').find((call) => textAt(call, 'type') === type);
  return choiceOf(`run-steps.calls.${type.replaceAll('_', '-')}`, {
    selector: where(stepResponses, ({ steps }) => steps.some(({ value }) => callIn(value) !== undefined)),
    taken: ({ steps }) => keysOf(steps.map(({ value }) => callIn(value)).find((one) => one !== undefined)),
    examples: { 'id, type': removeIn(LIST_STEPS, `/data/*/step_details/tool_calls/*/${type}`) },
  });
}
