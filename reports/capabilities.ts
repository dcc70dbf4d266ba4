import type { RequirementVerdict } from '../judge/verdict/verdict.ts';

/** A capability that targets lack as a whole, and the requirement that any evidence of it would decide. */
interface Capability {
  readonly shownBy: string;
  /** Scenarios that force it: without evidence they got responses, but none that use it. */
  readonly demandedBy: RegExp;
  readonly neededBy: RegExp;
  readonly says: string;
  /** The fields that ask for it, where what they do is in the table of support. */
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
    neededBy: /^runs\.(?:budgets|forced|tool|parallel)/,
    says: 'tools do not work at all in runs: no run calls a function, not even where tool_choice names one',
    fields: [],
  },
];

interface Judged {
  readonly requirements: readonly RequirementVerdict[];
}

export function lackingCapabilities({ requirements }: Judged): readonly Capability[] {
  return CAPABILITIES.filter(({ shownBy, demandedBy }) => {
    const shown = requirements.find(({ id }) => id === shownBy);
    return shown !== undefined && demandedBy.test(scenarioOf(shown) ?? '');
  });
}

/** Fields that ask for a capability which the target lacks: `createChatCompletion.tools`. */
export function lackingFields(report: Judged): readonly string[] {
  return lackingCapabilities(report).flatMap(({ fields }) => fields);
}

/** The scenario that ended without the evidence; null if the evidence is not missing. */
export function scenarioOf({ cause }: RequirementVerdict): string | null {
  return cause?.kind === 'no-evidence' ? (cause.expected?.scenario ?? null) : null;
}
