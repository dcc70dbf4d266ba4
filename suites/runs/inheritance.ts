import type { Call } from '../../judge/call.ts';
import { get, text } from '../../judge/json.ts';
import type { Selector } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { type Succession, successions } from '../../judge/selectors/relations.ts';
import { runAnswerOf } from './run.ts';
import { isStreaming, STREAMING } from './tale.ts';

const MAKING = ['createAssistant', 'modifyAssistant'] as const;

/**
 * A run (`after`) and how its assistant was told last before (`before`), in the beta form, which runs share. An
 * assistant that was modified or deleted meanwhile is no evidence.
 */
export const runsOfAssistants: Selector<Succession> = only(
  {
    ...successions({
      first: MAKING,
      later: STREAMING,
      until: ['modifyAssistant', 'deleteAssistant'],
      about: (call) =>
        isStreaming(call.operation.id) ? text(call.asked, 'assistant_id') : assistantOf(call),
    }),
    // What is judged is the run, so its operations come first.
    operations: [...STREAMING, ...MAKING, 'deleteAssistant'],
  },
  ({ before, after }) =>
    before.variant?.name === 'v2' && before.answer !== undefined && runAnswerOf(after) !== null,
);

/** Runs whose request does not give a setting, so that it comes from elsewhere. */
export function runsWithout(field: string): Selector<Succession> {
  return only(runsOfAssistants, ({ after }) => get(after.asked, field) === undefined);
}

function assistantOf({ path, answer }: Call): string | undefined {
  return path['assistant_id'] ?? text(answer, 'id');
}
