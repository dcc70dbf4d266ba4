import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { isAnother } from '../generate/relations/compare.ts';
import type { Return } from '../runs/sightings.ts';
import { functionCalls, LIST, RETRIEVE, stepReturns } from './steps.ts';

const SPEC = '1 Run step';
const TOKENS = ['prompt_tokens', 'completion_tokens', 'total_tokens'];

export const sameStep = requirement({
  id: 'run-steps.same.identity',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A step is of the same time, type, run, thread and assistant whenever it is told.',
  on: stepReturns(),
  check: (found) => changed(found, ['created_at', 'type', 'run_id', 'thread_id', 'assistant_id']),
  breaks: {
    'another time': inAnswer(RETRIEVE, put('/created_at', 1)),
    'another type': inAnswer(LIST, put('/data/*/type', other)),
    'another run': inAnswer(RETRIEVE, put('/run_id', 'run_other')),
    'another thread': inAnswer(LIST, put('/data/*/thread_id', 'thread_other')),
    'another assistant': inAnswer(RETRIEVE, put('/assistant_id', 'asst_other')),
  },
});

export const path = requirement({
  id: 'run-steps.states.path',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A completed step is never in progress again.',
  on: only(stepReturns(), ({ earlier }) => get(earlier.value, 'status') === 'completed'),
  check: ({ later }) => {
    const status = text(later.value, 'status');
    // Where else a step may go from here is not shown.
    return status === 'in_progress'
      ? [{ at: `${later.at}/status`, expected: 'completed, as it was', actual: status }]
      : [];
  },
  breaks: {
    'in progress again': inAnswer(RETRIEVE, put('/status', 'in_progress')),
    'in progress again in the list': inAnswer(LIST, put('/data/*/status', 'in_progress')),
  },
});

/** Both are over, so nothing about the step can change any more. */
const completed = only(
  stepReturns(),
  ({ earlier, later }) =>
    get(earlier.value, 'status') === 'completed' && get(later.value, 'status') === 'completed',
);

export const stays = requirement({
  id: 'run-steps.same.outcome',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A completed step has the same time of completion, usage and message whenever it is told.',
  on: completed,
  check: (found) => [
    ...changed(found, ['completed_at']),
    ...changedAt(found, ['step_details', 'message_creation', 'message_id']),
    ...TOKENS.flatMap((field) => changedAt(found, ['usage', field])),
  ],
  breaks: {
    'another time': inAnswer(RETRIEVE, put('/completed_at', 1)),
    'other usage': inAnswer(LIST, put('/data/*/usage/total_tokens', 123_456)),
    'another message': inAnswer(RETRIEVE, put('/step_details/message_creation/message_id', 'msg_other')),
  },
});

export const calls = requirement({
  id: 'run-steps.same.calls',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'Function calls of a step keep their ids and names, and their arguments only grow.',
  on: only(stepReturns(), ({ earlier }) => functionCalls(earlier.value).length > 0),
  check: ({ earlier, later }) => {
    const now = functionCalls(later.value);
    return functionCalls(earlier.value).flatMap((call): Complaint[] => {
      const again = now.find((one) => get(one, 'id') === get(call, 'id'));
      if (again !== undefined && continues(call, again)) return [];
      const expected = `${JSON.stringify(call)}, as in ${earlier.call.exchange.id}`;
      return [{ at: `${later.at}/step_details/tool_calls`, expected, actual: again ?? now }];
    });
  },
  breaks: {
    'no calls': inAnswer(RETRIEVE, put('/step_details/tool_calls', [])),
    'another name': inAnswer(RETRIEVE, put('/step_details/tool_calls/*/function/name', 'nobody_knows')),
    'other arguments': inAnswer(LIST, put('/data/*/step_details/tool_calls/*/function/arguments', '{}')),
    'arguments cut off': inAnswer(RETRIEVE, put('/step_details/tool_calls/*/function/arguments', '{')),
    'another id': inAnswer(RETRIEVE, put('/step_details/tool_calls/*/id', 'call_other')),
  },
});

function changed(found: Return, fields: readonly string[]): Complaint[] {
  return fields.flatMap((field) => changedAt(found, [field]));
}

function changedAt({ earlier, later }: Return, steps: readonly string[]): Complaint[] {
  const [before, now] = [get(earlier.value, ...steps), get(later.value, ...steps)];
  if (!isAnother(before, now)) return [];
  const expected = `${JSON.stringify(before)}, as in ${earlier.call.exchange.id}`;
  return [{ at: `${later.at}/${steps.join('/')}`, expected, actual: now }];
}

/** Whether a call is the same one, further on. */
function continues(call: Json, again: Json): boolean {
  const before = text(call, 'function', 'arguments') ?? '';
  const now = text(again, 'function', 'arguments') ?? '';
  return get(call, 'function', 'name') === get(again, 'function', 'name') && now.startsWith(before);
}

function other(type: Json | undefined): Json {
  return type === 'tool_calls' ? 'message_creation' : 'tool_calls';
}
