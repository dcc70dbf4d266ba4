import { printable } from '../../schemas/excerpt.ts';
import { extensions } from '../../schemas/index.ts';

/** Whose defect it is where a scenario breaks down or a check throws: that of the extension whose name the id begins with, else of assay. */
export function ownerOf(id: string): string {
  const extension = extensions().find(({ name }) => id.startsWith(`${name}.`));
  return extension === undefined ? 'assay' : `the extension ${extension.name}`;
}

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
