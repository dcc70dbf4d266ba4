import { printable } from '../../exchange/printable.ts';
import { extensions } from '../../schemas/index.ts';

export function ownerOf(id: string): string {
  const extension = extensions().find(({ name }) => id.startsWith(`${name}.`));
  return extension === undefined ? 'assay' : `the extension ${extension.name}`;
}

/** Messages may quote the target, so they are escaped. */
export function crashLines(
  crashed: readonly { readonly scenario: string; readonly message: string }[],
): string[] {
  return crashed.map(
    ({ scenario, message }) =>
      `defect of ${ownerOf(scenario)}: scenario ${scenario} crashed: ${printable(message)}`,
  );
}
