import { lastStates, type RepeatedObject, repeatedObjects } from '../runs/repeated-objects.ts';
import { type PlacedObject, shownObjects } from '../runs/runs.ts';
import { RUN_CREATIONS } from '../runs/streams.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';

export const STEP_LOOK_UPS = ['listRunSteps', 'retrieveRunStep'] as const;

export interface StepResponse extends Evidence {
  readonly call: Call;
  readonly steps: readonly PlacedObject[];
  readonly failed: PlacedObject | undefined;
  readonly firstCalls: Readonly<Record<string, Json>>;
}

export const stepResponses: Selector<StepResponse> = stateless(
  'step answers',
  STEP_LOOK_UPS,
  { needs: 'a step' },
  (call) => {
    const steps = shownObjects(call);
    const calls = steps.flatMap(({ value }) => arrayAt(value, 'step_details', 'tool_calls'));
    const byType = calls.map((toolCall) => [textAt(toolCall, 'type') ?? '', toolCall] as const);
    // Later entries win, so the first call of a type must come last.
    const firstCalls = Object.fromEntries(byType.toReversed());
    const failed = steps.find(({ value }) => textAt(value, 'status') === 'failed');
    return steps.length === 0 ? [] : [{ call, steps, failed, firstCalls, exchanges: [call.exchange] }];
  },
);

/** Steps that several responses show: retrievals, lists and streams of runs. The first operation sets the family. */
export const repeatedSteps: Selector<RepeatedObject> = repeatedObjects(
  ['retrieveRunStep', 'listRunSteps', ...RUN_CREATIONS],
  (call) => lastStates(call, 'steps') ?? (call.path['run_id'] === undefined ? [] : shownObjects(call)),
);

export function functionCalls(step: Json | undefined): readonly Json[] {
  return arrayAt(step, 'step_details', 'tool_calls').filter((call) => textAt(call, 'type') === 'function');
}
