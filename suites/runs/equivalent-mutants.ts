import { allEdits, callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange } from '../vocabulary/equivalents.ts';
import { frameData, frameWithData, withEvents, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Edit, EquivalentMutant, Exchange, Json } from '../vocabulary/types.ts';
import { RUN_CREATIONS, WAITING } from './streams.ts';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inEachExchange('steps of waiting calls completed', completeWaitingSteps),
];

function completeWaitingSteps(exchange: Exchange): Exchange {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const complete = allEdits(
    setValue('/status', 'completed'),
    setValue('/completed_at', 4_000_000_000),
    setValue('/usage', usage),
  );
  const completeIfWaiting: Edit = (step) => {
    const isInProgress = valueAtPath(step, 'status') === 'in_progress';
    return isInProgress && arrayAt(step, 'step_details', 'tool_calls').length > 0 ? complete(step) : step;
  };
  if (callsOperation(exchange, 'listRunSteps'))
    return withResponseJson(exchange, setValue('/data', editEach(completeIfWaiting)));
  if (callsOperation(exchange, 'retrieveRunStep')) return withResponseJson(exchange, completeIfWaiting);
  if (!RUN_CREATIONS.some((operation) => callsOperation(exchange, operation))) return exchange;
  return withEvents(exchange, (frames) => {
    const startFrame = frames.findLast(({ event }) => event === 'thread.run.step.in_progress');
    const waitIndex = frames.findIndex(({ event }) => event === WAITING);
    const [step, run] = [startFrame, frames[waitIndex]].map((frame) => frame && frameData(frame));
    if (step === undefined || run === undefined) return frames;
    const calls = arrayAt(run, 'required_action', 'submit_tool_outputs', 'tool_calls');
    const withCalls = setValue('/step_details/tool_calls', calls.map(setValue('/function/output', null)));
    const endFrame = frameWithData('thread.run.step.completed', JSON.stringify(complete(withCalls(step))));
    return frames.toSpliced(waitIndex, 0, endFrame);
  });
}

function editEach(edit: Edit): (values: Json | undefined) => Json {
  return (values) => (Array.isArray(values) ? values.map(edit) : (values ?? null));
}
