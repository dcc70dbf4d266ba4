import { createRequire } from 'node:module';

/** One source of evidence on whether a service ignores fields that it accepts (docs/ignored-parameters.md). */
export interface EffectRow {
  readonly operation: string;
  readonly fields: readonly string[];
  readonly noticedBy: string;
  /**
   * `ignored`: the requirement fails if the fields are ignored; `undecided`: it is inconclusive; `accepted`: it says
   * nothing about the effect; `open`: a choice or an exclusion leaves the effect open.
   */
  readonly how: 'ignored' | 'undecided' | 'accepted' | 'open';
  /** The alternative of a choice that proves the effect if the target takes no other. */
  readonly shows?: string;
  /** The alternative of a choice that services with the effect take, and that services without it may take as well. */
  readonly permits?: string;
  /**
   * The requirement forbids something, or also holds with a default, so it passes even if no request uses the field.
   * Only a run counts as having used it, because a run also sends invalid values. The operation must not have refused a
   * valid request without a known cause, because that request could be the one with the field.
   */
  readonly needsProbes?: true;
  /**
   * The alternative that a choice must also show, or any if `taken` is absent. `isEffect`: taking it proves that the
   * field has its effect.
   */
  readonly also?: { readonly choice: string; readonly taken?: string; readonly isEffect?: true };
  /** The requirement may also fail for another reason, while the field has its effect. */
  readonly mayFailOtherwise?: true;
  /** If this requirement is broken or, with `decided`, passes, the field has an effect, though perhaps a wrong one. */
  readonly unless?: { readonly requirement: string; readonly is: 'broken' | 'decided' };
}

export const EFFECTS = createRequire(import.meta.url)('#reports/effects.json') as readonly EffectRow[]; // as: the form of effects.json

/** Returns the rows that show whether a list ignores a field. Ids begin with `subject`, except for `purpose`. */
export function queryEffects(operation: string, subject: string, field: string): readonly EffectRow[] {
  const row = (noticedBy: string, members: Partial<EffectRow>): EffectRow => {
    return { operation, fields: [field], noticedBy, how: 'ignored', ...members };
  };
  const page = (rule: string, members: Partial<EffectRow>) => row(`${subject}.page.${rule}`, members);
  switch (field) {
    case 'limit':
      return [page('limit', { needsProbes: true })];
    case 'order':
      // A service that ignores `order` returns one order for both values, so one of the two requirements holds.
      return [
        page('order-asc', { unless: { requirement: `${subject}.page.order-desc`, is: 'broken' } }),
        page('order-desc', { unless: { requirement: `${subject}.page.order-asc`, is: 'broken' } }),
      ];
    case 'after':
    case 'before':
      // This requirement also fails for a page that repeats the cursor or omits an element.
      return [page(field, { mayFailOtherwise: true })];
    case 'purpose':
      return [row('files.list.purpose-filter', { needsProbes: true })];
    case 'filter':
      return [page('filter', { needsProbes: true })];
    default:
      return [page(`filter-${field.replaceAll('_', '-')}`, { needsProbes: true })];
  }
}
