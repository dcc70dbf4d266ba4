import type { Judgement, RequirementVerdict } from '../judge/verdict/verdict.ts';

interface Capability {
  /** Id of the requirement that any evidence of the capability would decide. */
  readonly shownBy: string;
  /** Scenarios that demand the capability: if one ends without evidence, the target responded without using it. */
  readonly demandedBy: RegExp;
  /** Scenarios whose missing evidence the missing capability explains. */
  readonly neededBy: RegExp;
  readonly says: string;
  /** Request fields without effect if the capability is missing, as `OPERATION.FIELD`. */
  readonly fields: readonly string[];
}

const CAPABILITIES: readonly Capability[] = [
  {
    shownBy: 'chat.tool_call:function#required',
    demandedBy: /^chat\.tools\.forced$/,
    neededBy: /^chat\.tools\./,
    says: 'tools do not work at all in createChatCompletion: no answer calls a function, not even where tool_choice names one',
    fields: ['createChatCompletion.tools', 'createChatCompletion.tool_choice'],
  },
  {
    shownBy: 'thread.run.step:step_details(tool_calls).tool_calls[function].function#required',
    demandedBy: /^runs\.(?:budgets|forced|tool-choice)$/,
    neededBy: /^runs\.(?:budgets|forced|tool-choice)/,
    says: 'tools do not work at all in runs: no run calls a function, not even where tool_choice names one',
    fields: [],
  },
];

export function missingCapabilities({
  requirements,
}: Pick<Judgement, 'requirements'>): readonly Capability[] {
  return CAPABILITIES.filter(({ shownBy, demandedBy }) => {
    const requirement = requirements.find(({ id }) => id === shownBy);
    return requirement !== undefined && demandedBy.test(scenarioWithoutEvidence(requirement) ?? '');
  });
}

/** Null if evidence is not missing or no scenario is known to give it. */
export function scenarioWithoutEvidence({ cause }: RequirementVerdict): string | null {
  return cause?.kind === 'no-evidence' ? (cause.expected?.scenario ?? null) : null;
}
