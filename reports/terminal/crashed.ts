import { printable } from '../failure/excerpt.ts';

/** Scenarios that broke down through our own fault, a line each. The message may quote the target. */
export function crashLines(
  crashed: readonly { readonly scenario: string; readonly message: string }[],
): string[] {
  return crashed.map(
    ({ scenario, message }) => `defect of assay: scenario ${scenario} broke down: ${printable(message)}`,
  );
}
