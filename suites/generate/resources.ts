// The resources of all families: kinds of objects and their operations, from the `resources.json` files.
import { readFileSync } from 'node:fs';
import { findDataFiles } from '../data/family-data.ts';
import { computeOnce } from '../rows/on-first-use.ts';

/** A kind of object; `suites/data/resources.schema.json` describes further members. */
export interface Resource {
  readonly area: string;
  readonly noun: string;
  readonly spec: string;
  readonly variant?: 'v1' | 'v2';
  /** The operation that creates an object; absent if a request creates it indirectly. */
  readonly create?: string;
  readonly retrieve: string;
  readonly list?: string;
  readonly modify?: string;
  readonly remove?: string;
  /** The operation that cancels the job of an object, and shows the object. */
  readonly cancel?: string;
  readonly moving?: readonly string[];
  readonly follows?: Readonly<Record<string, readonly string[]>>;
  readonly keeps?: {
    readonly always?: readonly string[];
    /** Fields that keep their content between two responses that show the same one of these states. */
    readonly ended: { readonly states: readonly string[]; readonly fields: readonly string[] };
  };
  /** True if the object never changes: two retrievals are then comparable even if the trace did not create it. */
  readonly isFixed?: boolean;
  /**
   * Operations on other objects that change this one: earlier observations of the object in their path are outdated.
   */
  readonly touchedBy?: readonly string[];
  readonly growing?: { readonly while: string; readonly fields: readonly string[] };
  readonly hasBorrowedId?: boolean;
  readonly unlike?: readonly string[];
}

export const resources = computeOnce((): readonly Resource[] =>
  findDataFiles('resources.json').flatMap((path) => {
    const file: { readonly resources: readonly Resource[] } = JSON.parse(readFileSync(path, 'utf8'));
    return file.resources;
  }),
);

export function createdResource(area: string): Resource & { readonly create: string } {
  const resource = resources().find((one) => one.area === area);
  if (resource?.create === undefined)
    throw new Error(`No resources.json has ${area} with an operation that creates it.`);
  return { ...resource, create: resource.create };
}
