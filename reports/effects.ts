import { createRequire } from 'node:module';
import type { Judgement, RequirementVerdict } from '../judge/verdict/verdict.ts';

/** One check that notices that a service accepts fields and ignores them (docs/ignored-parameters.md). */
export interface EffectRow {
  readonly operation: string;
  /** Fields that are ignored together. */
  readonly fields: readonly string[];
  /** Id of the requirement, choice or exclusion. */
  readonly noticedBy: string;
  /**
   * `ignored`: the requirement fails if the fields are ignored; `undecided`: it is inconclusive; `accepted`: it says
   * nothing about the effect; `open`: a choice or an exclusion leaves the effect open.
   */
  readonly how: 'ignored' | 'undecided' | 'accepted' | 'open';
  /** The alternative of a choice that shows the effect. */
  readonly shows?: string;
  /** The alternative of a choice that services with the effect take, and that services without it may take as well. */
  readonly permits?: string;
  /**
   * The requirement forbids something, or also holds with a default, so it passes even if no request uses the field. Only a
   * run counts as having used it, because a run also sends invalid values. The operation must not have refused a valid request
   * without a known cause, because that request could be the one with the field.
   */
  readonly needsProbes?: true;
  /** The alternative that a choice must show in addition. `isEffect`: only a service that gives the field its effect takes it. */
  readonly also?: { readonly choice: string; readonly taken: string; readonly isEffect?: true };
  /** The requirement may also fail for another reason, while the field has its effect. */
  readonly maySucceed?: true;
  /** If this requirement is broken or, with `decided`, has any verdict, the field has an effect, though perhaps a wrong one. */
  readonly unless?: { readonly requirement: string; readonly is: 'broken' | 'decided' };
}

export const EFFECTS = createRequire(import.meta.url)('#reports/effects.json') as readonly EffectRow[]; // as: cli/ignored-parameters.proof.test.ts reads it

/** Requirements that show whether a list ignores a parameter. Their ids begin with `subject`: `listX.v2`. */
export function queryEffects(operation: string, subject: string, field: string): readonly EffectRow[] {
  const row = (noticedBy: string, rest: Partial<EffectRow>): EffectRow => {
    return { operation, fields: [field], noticedBy, how: 'ignored', ...rest };
  };
  const page = (rule: string, rest: Partial<EffectRow>) => row(`${subject}.page.${rule}`, rest);
  switch (field) {
    case 'limit':
      return [page('limit', { needsProbes: true })];
    case 'order':
      // A service that ignores `order` returns the same order for both of its values, so one of the two requirements holds.
      return [
        page('order-asc', { unless: { requirement: `${subject}.page.order-desc`, is: 'broken' } }),
        page('order-desc', { unless: { requirement: `${subject}.page.order-asc`, is: 'broken' } }),
      ];
    case 'after':
    case 'before':
      // This requirement also fails for a page that repeats the cursor or omits an element.
      return [page(field, { maySucceed: true })];
    case 'purpose':
      return [row('files.list.purpose-filter', { needsProbes: true })];
    case 'filter':
      return [page('filter', { needsProbes: true })];
    default:
      return [page(`filter-${field.replaceAll('_', '-')}`, { needsProbes: true })];
  }
}

/** A capability that a target may lack as a whole, and the requirement that any evidence of it would decide. */
interface Capability {
  readonly shownBy: string;
  /** Scenarios that demand it: if they end without evidence, the target responded, but no response uses the capability. */
  readonly demandedBy: RegExp;
  readonly neededBy: RegExp;
  readonly says: string;
  /** The request fields of the capability that the table of support contains. */
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

export function lackingCapabilities(judged: Pick<Judgement, 'requirements'>): readonly Capability[] {
  return CAPABILITIES.filter(({ shownBy, demandedBy }) => {
    const shown = judged.requirements.find(({ id }) => id === shownBy);
    return shown !== undefined && demandedBy.test(scenarioOf(shown) ?? '');
  });
}

/** The scenario that ended without the evidence; null if the evidence is not missing. */
export function scenarioOf({ cause }: RequirementVerdict): string | null {
  return cause?.kind === 'no-evidence' ? (cause.expected?.scenario ?? null) : null;
}
