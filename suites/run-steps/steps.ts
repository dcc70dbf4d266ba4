import { type RepeatedObject, repeatedObjects } from '../runs/runs.ts';
import { runStreamOf, STREAMING_OPERATIONS } from '../runs/streams.ts';
import { arrayAt, listElements, textAt } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';

export const LIST_STEPS = 'listRunSteps';
export const RETRIEVE_STEP = 'retrieveRunStep';

export interface PlacedStep {
  readonly at: string;
  readonly value: Json;
}

export interface StepResponse extends Evidence {
  readonly call: Call;
  readonly steps: readonly PlacedStep[];
}

/** Every response that lists steps or retrieves one. */
export const stepResponses: Selector<StepResponse> = stateless(
  'step answers',
  [LIST_STEPS, RETRIEVE_STEP],
  { needs: 'a step' },
  (call) => {
    const steps = stepsOf(call);
    return steps.length === 0 ? [] : [{ call, steps, exchanges: [call.exchange] }];
  },
);

/** Steps that several responses show: lists, look-ups and the stream of their run. */
export const repeatedSteps: Selector<RepeatedObject> = repeatedObjects({
  operations: [RETRIEVE_STEP, LIST_STEPS, ...STREAMING_OPERATIONS],
  find: (call) => {
    const event = runStreamOf(call)?.steps.map(({ events }) =>
      events.findLast(({ verb }) => verb !== 'delta'),
    );
    const last = event?.flatMap((event) =>
      event?.data === undefined ? [] : [{ at: event.at, value: event.data }],
    );
    return last ?? stepsOf(call);
  },
});

export function stepsOf({ operation, responseJson: answer }: Call): readonly PlacedStep[] {
  if (operation.id === LIST_STEPS) return listElements(answer);
  return operation.id === RETRIEVE_STEP && answer !== undefined ? [{ at: '', value: answer }] : [];
}

export function functionCalls(step: Json | undefined): readonly Json[] {
  return arrayAt(step, 'step_details', 'tool_calls').filter((call) => textAt(call, 'type') === 'function');
}
