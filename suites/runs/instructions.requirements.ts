import { extendPlace } from '../rows/places.ts';
import { rowOf } from '../rows/rows.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import { runsOfAssistants } from './assistant-runs.ts';

export const runsAdditionalInstructionsAppended = rowOf('runs.additional-instructions.appended', {
  evidence: where(
    runsOfAssistants,
    that('whose run shows the additional instructions', ({ instructions, additional }) =>
      instructions.includes(additional),
    ),
  ),
  check: ({ base, additional, instructions, runs: [run] }) => {
    if (instructions.startsWith(base) && instructions.trimEnd().endsWith(additional)) return [];
    const expected = `${JSON.stringify(base)}, then ${JSON.stringify(additional)}`;
    return [violation(extendPlace(run?.at ?? '', 'instructions'), expected, instructions)];
  },
});
