// The operations, versions and fields of a kind of object, from its resource and the schemas.
import { bodyTree } from '../../judge/probe/constraints.ts';
import { buildTree } from '../../judge/schema/build-tree.ts';
import type { UnionMember } from '../../judge/schema/node.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { operation as operationOf, resolveRef, schema, type Variant } from '../../schemas/index.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call } from '../vocabulary/types.ts';
import { pathParameters, type Resource } from './resources.ts';

/** Maximum number of objects of one kind whose state is kept. */
export const MAX_OBJECTS = 1000;

/** Operations after which a deleted object may exist again under its id. */
export function restoringOperations({ create, hasBorrowedId, touchedBy = [] }: Resource): readonly string[] {
  return [...(create === undefined ? [] : [create]), ...(hasBorrowedId === true ? touchedBy : [])];
}

export function restoredIds({ responseJson: answer, requestJson: asked }: Call): readonly string[] {
  const ids = [valueAtPath(answer, 'id'), valueAtPath(asked, 'file_id'), ...arrayAt(asked, 'file_ids')];
  return ids.filter((id) => typeof id === 'string');
}

export function variantOfResource({ variant }: Resource, operation: string): Variant {
  const { variants } = operationOf(operation);
  const found = variants.find(({ name }) => name === variant) ?? variants[0];
  if (found === undefined) throw new Error(`${operation} has no form.`);
  return found;
}

export function lastingFields(resource: Resource): readonly string[] {
  return membersOfAnswer(resource, resource.retrieve)
    .map(({ name }) => name)
    .filter((name) => !resource.moving?.includes(name));
}

export interface EchoedField {
  readonly name: string;
  readonly node: UnionMember['node'];
  readonly isOptional: boolean;
}

export function echoedFields(
  resource: Resource,
  operation: string,
  verb: 'create' | 'modify',
): readonly EchoedField[] {
  const shown = new Map(membersOfAnswer(resource, operation).map((member) => [member.name, member]));
  const requestMembers = bodyTree(variantOfResource(resource, operation))?.members ?? [];
  const unlike = new Set(resource.unlike);
  return requestMembers.flatMap(({ name, node }) => {
    const member = shown.get(name);
    if (member === undefined || unlike.has(name) || unlike.has(`${verb}.${name}`)) return [];
    return [{ name, node, isOptional: !member.required && !member.expected }];
  });
}

export function ownerFields(resource: Resource): readonly string[] {
  const names = pathParameters(operationOf(resource.retrieve));
  const fields = new Set(membersOfAnswer(resource, resource.retrieve).map(({ name }) => name));
  return names.slice(0, -1).filter((name) => fields.has(name));
}

const membersOfSchema = new Map<string, readonly UnionMember[]>();

function membersOfAnswer(resource: Resource, operation: string): readonly UnionMember[] {
  const name = variantOfResource(resource, operation).answers[0]?.schema;
  if (name === null || name === undefined) return [];
  return getOrMake(membersOfSchema, name, () => buildTree({ schema, resolveRef }, name, 'inline').members);
}
