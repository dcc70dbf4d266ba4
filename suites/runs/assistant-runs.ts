import { textAt } from '../vocabulary/json.ts';
import { successions, that, where } from '../vocabulary/selectors.ts';
import type { CallSuccession, Json, Selector } from '../vocabulary/types.ts';
import { type RunResponse, runResponseOf } from './runs.ts';
import { isRunCreation, RUN_CREATIONS } from './streams.ts';

/** A run (`after`) of an assistant that an earlier response (`before`) showed in the v2 form. */
export interface AssistantRun extends CallSuccession, Pick<RunResponse, 'runs' | 'asked'> {
  /** The instructions of the assistant, or those that replace them in the request. */
  readonly base: string;
  readonly additional: string;
  readonly instructions: string;
}

const DEFINING_OPERATIONS = ['createAssistant', 'modifyAssistant'] as const;

const runsAfterAssistants = where(
  {
    ...successions({
      first: DEFINING_OPERATIONS,
      later: RUN_CREATIONS,
      until: ['modifyAssistant', 'deleteAssistant'],
      about: ({ operation, path, requestJson: asked, responseJson: answer }) =>
        isRunCreation(operation.id)
          ? textAt(asked, 'assistant_id')
          : (path['assistant_id'] ?? textAt(answer, 'id')),
    }),
    // The first operation determines the family of the requirements.
    operations: [...RUN_CREATIONS, ...DEFINING_OPERATIONS, 'deleteAssistant'],
  },
  that(
    'of an assistant that was shown in the v2 form',
    ({ before }) => before.variant?.name === 'v2' && before.responseJson !== undefined,
  ),
  that('with a run', ({ after }) => runResponseOf(after) !== null),
);

/** Pairs a run with the response that last created or changed its assistant, unless the assistant was deleted since. */
export const runsOfAssistants: Selector<AssistantRun> = {
  operations: runsAfterAssistants.operations,
  variant: null,
  around: runsAfterAssistants,
  collect: () => {
    const inner = runsAfterAssistants.collect();
    return {
      call: (call) => [...inner.call(call)].map(readAssistantRun),
      finish: () => [...(inner.finish?.() ?? [])].map(readAssistantRun),
    };
  },
};

function readAssistantRun(succession: CallSuccession): AssistantRun {
  const { runs = [], asked } = runResponseOf(succession.after) ?? {};
  const assistant = succession.before.responseJson;
  return {
    ...succession,
    runs,
    asked,
    base: textAt(asked, 'instructions') ?? textAt(assistant, 'instructions') ?? '',
    additional: additionalInstructions(asked),
    instructions: textAt(runs[0]?.value, 'instructions') ?? '',
  };
}

/** The text is trimmed, because a run may show it without the white space around it. It is empty if there is none. */
export function additionalInstructions(asked: Json | undefined): string {
  return textAt(asked, 'additional_instructions')?.trim() ?? '';
}
