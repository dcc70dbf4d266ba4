import { followUpsBy } from '../runs/selectors/follow-ups.ts';
import { WAITING } from '../runs/streams/run-stream.ts';
import { removeIn, setIn } from '../vocabulary/changes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { functionCalls, LIST_STEPS, RETRIEVE_STEP, repeatedSteps, stepResponses, stepsOf } from './steps.ts';

const SPEC = '1 Run step';
const { choice } = section(SPEC);
const OUTPUT = '/data/*/step_details/tool_calls/*/function/output';

export const searches = callsOf('file_search');
export const computations = callsOf('code_interpreter');

export const runStepsCallsOutputAwaited = choice('run-steps.calls.output-awaited', {
  says: 'The output of a function call that still waits for it.',
  places: ['thread.run.step:step_details(tool_calls).tool_calls[function].function.output'],
  alternatives: ['null', 'empty'],
  selector: onlyWaiting(),
  taken: ({ after }) => {
    const [call] = stepsOf(after).flatMap(({ value }) => functionCalls(value));
    if (call === undefined) return null;
    const output = valueAtPath(call, 'function', 'output');
    if (output === undefined) return 'absent';
    if (output === null) return 'null';
    return output === '' ? 'empty' : null;
  },
  examples: { empty: setIn(LIST_STEPS, OUTPUT, '') },
});

export const runStepsStatusWhileWaiting = choice('run-steps.status.while-waiting', {
  says: 'Which status a step has whose function calls wait for outputs.',
  alternatives: ['in_progress', 'completed'],
  selector: onlyWaiting(),
  taken: ({ after }) => {
    const step = stepsOf(after).find(({ value }) => functionCalls(value).length > 0);
    return textAt(step?.value, 'status') ?? null;
  },
  examples: { completed: setIn(LIST_STEPS, '/data/*/status', 'completed') },
});

export const runStepsLastErrorFields = choice('run-steps.last-error.fields', {
  says: 'Which fields last_error of a failed step has.',
  alternatives: ['code, message', 'message'],
  selector: where(stepResponses(), ({ steps }) =>
    steps.some(({ value }) => valueAtPath(value, 'status') === 'failed'),
  ),
  taken: ({ steps }) => {
    const failed = steps.find(({ value }) => valueAtPath(value, 'status') === 'failed');
    const error = valueAtPath(failed?.value, 'last_error');
    return isObject(error) ? Object.keys(error).sort().join(', ') : null;
  },
});

export const runStepsStatusOtherMoves = choice('run-steps.status.other-moves', {
  several: true,
  says: 'Which ways, beside that to completed, a step takes from state to state.',
  alternatives: ['in_progress to cancelled', 'in_progress to failed', 'in_progress to expired'],
  selector: repeatedSteps(),
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

/** Looks at the steps of a run whose stream ended while it waited. */
function onlyWaiting() {
  return where(
    followUpsBy([LIST_STEPS, RETRIEVE_STEP]),
    ({ stream }) => stream?.runs.at(-1)?.name === WAITING,
  );
}

/** The form of a call other than a function call. */
function callsOf(type: 'file_search' | 'code_interpreter') {
  const callIn = (step: Json) =>
    arrayAt(step, 'step_details', 'tool_calls').find((call) => textAt(call, 'type') === type);
  return choice(`run-steps.calls.${type.replaceAll('_', '-')}`, {
    spec: SPEC,
    says: `Which fields a tool call of type ${type} has.`,
    alternatives: [`${type}, id, type`, 'id, type'],
    selector: where(stepResponses(), ({ steps }) => steps.some(({ value }) => callIn(value) !== undefined)),
    taken: ({ steps }) => {
      const call = steps.map(({ value }) => callIn(value)).find((one) => one !== undefined);
      return isObject(call) ? Object.keys(call).sort().join(', ') : null;
    },
    examples: { 'id, type': removeIn(LIST_STEPS, `/data/*/step_details/tool_calls/*/${type}`) },
  });
}
