// The resources of all families: kinds of objects and their operations, from the `resources.json` of each family.
import { readFileSync } from 'node:fs';
import type { Operation } from '../../schemas/index.ts';
import { dataFiles } from '../data/family-data.ts';

/** What a family states about one kind of object; the relations between its operations follow. */
export interface Resource {
  /** First part of the ids of requirements: `assistants-v1`. */
  readonly area: string;
  /** The name in sentences: `assistant`. */
  readonly noun: string;
  /** Part and section of the specification that describe the object. */
  readonly spec: string;
  /** The version of the operations, if they have two. */
  readonly variant?: 'v1' | 'v2';
  /** The operation that creates an object; absent if a request creates it indirectly. */
  readonly create?: string;
  readonly retrieve: string;
  readonly list?: string;
  /** The operation that modifies an object; absent if it never changes. */
  readonly modify?: string;
  readonly remove?: string;
  /** The operation that cancels the job of an object, and shows the object. */
  readonly cancel?: string;
  /** Fields of the object that change by themselves. */
  readonly moving?: readonly string[];
  /** Maps a field to the fields whose modification may change it, although the modification does not name it. */
  readonly follows?: Readonly<Record<string, readonly string[]>>;
  /** Fields that change, but never become empty again. */
  readonly keeps?: {
    /** Fields in every state. */
    readonly always?: readonly string[];
    /** Fields in each of these states, as long as the state stays the same. */
    readonly ended: { readonly states: readonly string[]; readonly fields: readonly string[] };
  };
  /** True if the object never changes: two retrievals are then comparable even if the trace did not create it. */
  readonly isFixed?: boolean;
  /** Operations of other objects that change this one: the object that their path names must be retrieved again. */
  readonly touchedBy?: readonly string[];
  /** A state in which the object is still being written, and the fields that grow in that state. */
  readonly growing?: { readonly while: string; readonly fields: readonly string[] };
  /** True if the object has the id of another one, such as a file, that existed before. */
  readonly hasBorrowedId?: boolean;
  /**
   * Fields of a request that the response does not repeat unchanged: `content`, or `modify.tool_resources` for one
   * request only.
   */
  readonly unlike?: readonly string[];
}

let knownResources: readonly Resource[] | undefined;

/** The kinds of objects whose operations are related, in the order of their files; read once for each process. */
export function resources(): readonly Resource[] {
  knownResources ??= dataFiles('resources.json').flatMap((path) => {
    const file: { readonly resources: readonly Resource[] } = JSON.parse(readFileSync(path, 'utf8'));
    return file.resources;
  });
  return knownResources;
}

/** The names of the path parameters of an operation, in order. */
export function pathParameters({ path }: Pick<Operation, 'path'>): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The resource of an area whose objects have their own create operation. Throws if there is none. */
export function createdResource(area: string): Resource & { readonly create: string } {
  const resource = resources().find((one) => one.area === area);
  if (resource?.create === undefined)
    throw new Error(`No resources.json has ${area} with an operation that creates it.`);
  return { ...resource, create: resource.create };
}
