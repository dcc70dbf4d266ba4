import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { elements, list, text } from '../../judge/json.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';
import { stateless } from '../../judge/selectors/answers.ts';
import { type Return, returns } from '../runs/sightings.ts';
import { STREAMING, taleOf } from '../runs/tale.ts';

export const LIST = 'listRunSteps';
export const RETRIEVE = 'retrieveRunStep';

/** A step and where it is told. */
export interface PlacedStep {
  /** Beginning of a pointer: `/data/3`, nothing, or `event 7 `. */
  readonly at: string;
  readonly value: Json;
}

/** One answer that tells steps; at least one of them. */
export interface StepAnswer extends Evidence {
  readonly call: Call;
  readonly steps: readonly PlacedStep[];
}

/** Every answer that lists steps or retrieves one. */
export function stepAnswers(): Selector<StepAnswer> {
  return stateless('step answers', [LIST, RETRIEVE], {}, (call) => {
    const steps = stepsOf(call);
    return steps.length === 0 ? [] : [{ call, steps, exchanges: [call.exchange] }];
  });
}

/** Steps seen again, in lists, by themselves, or after the stream that told them first. */
export function stepReturns(): Selector<Return> {
  return again;
}

const again = returns({
  operations: [RETRIEVE, LIST, ...STREAMING],
  find: (call) => {
    const told = taleOf(call)?.steps.map(({ told: events }) =>
      events.findLast(({ verb }) => verb !== 'delta'),
    );
    const last = told?.flatMap((event) =>
      event?.data === undefined ? [] : [{ at: `${event.at} `, value: event.data }],
    );
    return last ?? stepsOf(call);
  },
});

/** The steps of a list, or the one that was retrieved. */
export function stepsOf({ operation, answer }: Call): readonly PlacedStep[] {
  if (operation.id === LIST) return elements(answer);
  return operation.id === RETRIEVE && answer !== undefined ? [{ at: '', value: answer }] : [];
}

/** The function calls of a step. */
export function functionCalls(step: Json | undefined): readonly Json[] {
  return list(step, 'step_details', 'tool_calls').filter((call) => text(call, 'type') === 'function');
}
