import type { Cause } from './cause.ts';

/**
 * Kinds of causes for which a MUST may be accepted without a decision: those that lie in what the target does. Where it had no
 * capacity or refused the key, the run is to be repeated.
 */
export const LASTING_CAUSES: readonly Cause['kind'][] = [
  'no-evidence',
  'blocked',
  'target-error',
  'model',
  'deadline',
  'protocol',
  'nesting',
  'breakdown',
];

/** Whether a baseline may accept what could not be decided for this cause. */
export function isLasting({ kind }: Cause): boolean {
  return LASTING_CAUSES.includes(kind);
}
