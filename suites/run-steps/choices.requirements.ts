import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { looksBy } from '../runs/looks.ts';
import { WAITING } from '../runs/tale.ts';
import { functionCalls, LIST, RETRIEVE, stepAnswers, stepReturns, stepsOf } from './steps.ts';

const SPEC = '1 Run step';
const OUTPUT = '/data/*/step_details/tool_calls/*/function/output';

export const searches = callsOf('file_search');
export const computations = callsOf('code_interpreter');

export const output = choice({
  id: 'run-steps.calls.output-awaited',
  spec: SPEC,
  says: 'How output reads as long as a function call waits for it.',
  places: ['thread.run.step:step_details(tool_calls).tool_calls[function].function.output'],
  alternatives: ['null', 'empty'],
  on: onlyWaiting(),
  taken: ({ after }) => {
    const [call] = stepsOf(after).flatMap(({ value }) => functionCalls(value));
    if (call === undefined) return null;
    const told = get(call, 'function', 'output');
    if (told === undefined) return 'absent';
    if (told === null) return 'null';
    return told === '' ? 'empty' : null;
  },
  examples: {
    empty: inAnswer(LIST, put(OUTPUT, '')),
  },
});

export const waitingStatus = choice({
  id: 'run-steps.status.while-waiting',
  spec: SPEC,
  says: 'Which status a step has whose function calls wait for outputs.',
  alternatives: ['in_progress', 'completed'],
  on: onlyWaiting(),
  taken: ({ after }) => {
    const step = stepsOf(after).find(({ value }) => functionCalls(value).length > 0);
    return text(step?.value, 'status') ?? null;
  },
  examples: { completed: inAnswer(LIST, put('/data/*/status', 'completed')) },
});

export const lastError = choice({
  id: 'run-steps.last-error.fields',
  spec: SPEC,
  says: 'Which fields last_error of a failed step has.',
  alternatives: ['code, message', 'message'],
  on: only(stepAnswers(), ({ steps }) => steps.some(({ value }) => get(value, 'status') === 'failed')),
  taken: ({ steps }) => {
    const failed = steps.find(({ value }) => get(value, 'status') === 'failed');
    const error = get(failed?.value, 'last_error');
    return isObject(error) ? Object.keys(error).sort().join(', ') : null;
  },
});

export const moves = choice({
  id: 'run-steps.status.other-moves',
  spec: SPEC,
  says: 'Which ways, beside that to completed, a step takes from state to state.',
  alternatives: ['in_progress to cancelled', 'in_progress to failed', 'in_progress to expired'],
  on: stepReturns(),
  taken: ({ earlier, later }) => {
    const [from, to] = [text(earlier.value, 'status'), text(later.value, 'status')];
    return from === to || to === 'completed' ? null : `${from} to ${to}`;
  },
  examples: Object.fromEntries(
    ['cancelled', 'failed', 'expired'].map((state) => [
      `in_progress to ${state}`,
      inAnswer(RETRIEVE, put('/status', state)),
    ]),
  ),
});

/** Looks at the steps of a run whose stream ended while it waited. */
function onlyWaiting() {
  return only(looksBy([LIST, RETRIEVE]), ({ tale }) => tale?.runs.at(-1)?.name === WAITING);
}

/** The form of a call that is no function call. */
function callsOf(type: 'file_search' | 'code_interpreter') {
  const callIn = (step: Json) =>
    list(step, 'step_details', 'tool_calls').find((call) => text(call, 'type') === type);
  return choice({
    id: `run-steps.calls.${type.replaceAll('_', '-')}`,
    spec: SPEC,
    says: `Which fields a tool call of type ${type} has.`,
    alternatives: [`${type}, id, type`, 'id, type'],
    on: only(stepAnswers(), ({ steps }) => steps.some(({ value }) => callIn(value) !== undefined)),
    taken: ({ steps }) => {
      const call = steps.map(({ value }) => callIn(value)).find((one) => one !== undefined);
      return isObject(call) ? Object.keys(call).sort().join(', ') : null;
    },
    examples: {
      'id, type': inAnswer(LIST, remove(`/data/*/step_details/tool_calls/*/${type}`)),
    },
  });
}
