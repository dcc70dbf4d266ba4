import { printable } from '../failure/excerpt.ts';
import { ownerOf } from '../words/owner.ts';

/**
 * Scenarios that failed by a defect of assay or of an extension, a line each. Messages may quote the target, so they are escaped.
 */
export function crashLines(
  crashed: readonly { readonly scenario: string; readonly message: string }[],
): string[] {
  return crashed.map(
    ({ scenario, message }) =>
      `defect of ${ownerOf(scenario)}: scenario ${scenario} broke down: ${printable(message)}`,
  );
}
