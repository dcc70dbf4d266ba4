import { extensions } from '../../schemas/index.ts';

/** Whose defect it is where a scenario breaks down or a check throws: that of the extension whose name the id begins with, else of assay. */
export function ownerOf(id: string): string {
  const extension = extensions().find(({ name }) => id.startsWith(`${name}.`));
  return extension === undefined ? 'assay' : `the extension ${extension.name}`;
}
