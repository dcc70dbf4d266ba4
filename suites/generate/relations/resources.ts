// The resources of all families: kinds of objects and their operations, in `resources.json` beside the suites.
import { readFileSync } from 'node:fs';
import { dataFiles } from '../../data/family-data.ts';
import type { Resource } from './resource.ts';

/** The content of a `resources.json`; `resources.schema.json` describes it. */
interface ResourcesFile {
  readonly resources: readonly Resource[];
}

/** Read once for each process. */
let known: readonly Resource[] | undefined;

/** The kinds of objects whose operations are related, in the order of the paths of the files. */
export function resources(): readonly Resource[] {
  known ??= dataFiles('resources.json').flatMap((path) => {
    const file: ResourcesFile = JSON.parse(readFileSync(path, 'utf8'));
    return file.resources;
  });
  return known;
}

/** The resource of an area whose objects are created by an operation of their own. Throws if there is none. */
export function createdResource(area: string): Resource & { readonly create: string } {
  const found = resources().find((one) => one.area === area);
  if (found?.create === undefined)
    throw new Error(`No resources.json has ${area} with an operation that creates it.`);
  return { ...found, create: found.create };
}
