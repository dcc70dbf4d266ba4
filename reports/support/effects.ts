import { createRequire } from 'node:module';

/** What notices that a service accepts a field and does nothing with it (docs/ignored-parameters.md). */
export interface EffectRow {
  readonly operation: string;
  /** Ignored together. */
  readonly fields: readonly string[];
  /** Requirement, choice or exclusion. */
  readonly noticedBy: string;
  /**
   * `ignored`: the requirement fails where the fields are ignored; `undecided`: it is inconclusive; `accepted`: it says nothing about the
   * effect; `open`: a choice or an exclusion leaves the effect open.
   */
  readonly how: 'ignored' | 'undecided' | 'accepted' | 'open';
  /** The alternative of a choice that shows the effect. */
  readonly shows?: string;
  /** The alternative of a choice that the effect leads to, and that a service without it may take as well. */
  readonly permits?: string;
  /**
   * The requirement forbids something, or holds with a default as well, so that it passes where nothing was tried. Only a run tries it, which sends invalid values,
   * too, and no valid request of the operation may have been refused without a known cause, as it could be the one that tries it.
   */
  readonly needsProbes?: true;
  /** What a choice has to show in addition. */
  readonly also?: { readonly choice: string; readonly taken: string };
}

export const EFFECTS = createRequire(import.meta.url)(
  '#reports/support/effects.json',
) as readonly EffectRow[]; // as: cli/ignored-parameters.proof.test.ts reads it
