// A resource describes one kind of object by its operations and the fields that behave differently from the
// rest.

import { bodyTree } from '../../../judge/probe/constraints.ts';
import { buildTree } from '../../../judge/schema/build.ts';
import type { UnionMember } from '../../../judge/schema/node.ts';
import { operation as operationOf, resolveRef, schema, type Variant } from '../../../schemas/index.ts';
import { arrayAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Call } from '../../vocabulary/types.ts';

/** The facts that a family states about one kind of object; the relations of its operations follow from them. */
export interface Resource {
  /** First part of the ids: `assistants-v1`. */
  readonly area: string;
  /** In sentences: `assistant`. */
  readonly noun: string;
  /** Part and section of the object. */
  readonly spec: string;
  /** The form whose operations are meant, where the operations have two. */
  readonly variant?: 'v1' | 'v2';
  /** The operation that creates an object; absent where a request creates it indirectly. */
  readonly create?: string;
  readonly retrieve: string;
  readonly list?: string;
  /** The operation that modifies an object; absent where it never changes. */
  readonly modify?: string;
  /** The operation that deletes an object. */
  readonly remove?: string;
  /** The operation that cancels what an object stands for, and shows the object. */
  readonly cancel?: string;
  /** Fields of the object that change by themselves. */
  readonly moving?: readonly string[];
  /** Fields that may change when a modification names others: by field, those others. */
  readonly follows?: Readonly<Record<string, readonly string[]>>;
  /** Fields that move, but do not lose what they once had. */
  readonly keeps?: {
    /** In every state. */
    readonly always?: readonly string[];
    /** In each of these states, as long as it stays the same. */
    readonly ended: { readonly states: readonly string[]; readonly fields: readonly string[] };
  };
  /** True when nothing changes it once it is there, so that two looks at it compare even where nothing in the trace made it. */
  readonly isFixed?: boolean;
  /** Operations that change the object without being its own: what they name in their path is to be looked at anew. */
  readonly touchedBy?: readonly string[];
  /** A state in which it is still being written, and the fields that grow meanwhile. */
  readonly growing?: { readonly while: string; readonly fields: readonly string[] };
  /** True when it has the id of something else, such as a file, that was there before. */
  readonly hasBorrowedId?: boolean;
  /**
   * Fields of a request that its answer does not repeat as they are: `content`, or `modify.tool_resources` for one
   * request only.
   */
  readonly unlike?: readonly string[];
}

/** Operations after which it may be there again though it was removed: it has the id of what is brought back. */
export function restoringOperations({ create, hasBorrowedId, touchedBy = [] }: Resource): readonly string[] {
  return [...(create === undefined ? [] : [create]), ...(hasBorrowedId === true ? touchedBy : [])];
}

/** Ids of the objects that such an operation restores, as far as the response shows them. */
export function restoredIds({ responseJson: answer, requestJson: asked }: Call): readonly string[] {
  const ids = [valueAtPath(answer, 'id'), valueAtPath(asked, 'file_id'), ...arrayAt(asked, 'file_ids')];
  return ids.filter((id) => typeof id === 'string');
}

/** The form of an operation that a resource is about. */
export function variantOfResource({ variant }: Resource, operation: string): Variant {
  const { variants } = operationOf(operation);
  const found = variants.find(({ name }) => name === variant) ?? variants[0];
  if (found === undefined) throw new Error(`${operation} has no form.`);
  return found;
}

/** Fields of an object that stay as they are. */
export function lastingFields(resource: Resource): readonly string[] {
  return membersOfAnswer(resource, resource.retrieve)
    .map(({ name }) => name)
    .filter((name) => !resource.moving?.includes(name));
}

/** A field of a request that its answer carries, too. */
export interface EchoedField {
  readonly name: string;
  /** The schema of this field in the request. */
  readonly node: UnionMember['node'];
  /** Whether an answer may leave it out. */
  readonly isOptional: boolean;
}

/** Fields of a request that the response contains as well, with the schema of the request. */
export function echoedFields(
  resource: Resource,
  operation: string,
  verb: 'create' | 'modify',
): readonly EchoedField[] {
  const answered = new Map(membersOfAnswer(resource, operation).map((member) => [member.name, member]));
  const asked = bodyTree(variantOfResource(resource, operation))?.members ?? [];
  const unlike = new Set(resource.unlike);
  return asked.flatMap(({ name, node }) => {
    const member = answered.get(name);
    if (member === undefined || unlike.has(name) || unlike.has(`${verb}.${name}`)) return [];
    return [{ name, node, isOptional: !member.required && !member.expected }];
  });
}

/** Fields of an object that name what it hangs on, as its path does. */
export function ownerFields(resource: Resource): readonly string[] {
  const names = [...operationOf(resource.retrieve).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const fields = new Set(membersOfAnswer(resource, resource.retrieve).map(({ name }) => name));
  return names.slice(0, -1).filter((name) => fields.has(name));
}

/** By name of the schema: several relations of a resource ask for the same members. */
const membersOfSchema = new Map<string, readonly UnionMember[]>();

/** Members of the object in the response; empty where the response is not one object. */
function membersOfAnswer(resource: Resource, operation: string): readonly UnionMember[] {
  const name = variantOfResource(resource, operation).answers[0]?.schema;
  if (name === null || name === undefined) return [];
  const members = membersOfSchema.get(name) ?? buildTree({ schema, resolveRef }, name, 'inline').members;
  membersOfSchema.set(name, members);
  return members;
}

/** «An assistant», «A thread». */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}`;
}
