import { bodyTree } from '../../judge/probe/request-constraints.ts';
import { buildTree } from '../../judge/schema/build-tree.ts';
import type { SchemaMember } from '../../judge/schema/node.ts';
import {
  operation as operationOf,
  pathParameters,
  resolveRef,
  schema,
  type Variant,
} from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call } from '../vocabulary/types.ts';
import type { Resource } from './resources.ts';

export const MAX_OBJECTS = 1000;

/** Operations that may create an object under the id of a deleted one. */
export function restoringOperations({ create, hasBorrowedId, touchedBy = [] }: Resource): readonly string[] {
  return [...(create === undefined ? [] : [create]), ...(hasBorrowedId === true ? touchedBy : [])];
}

/** Ids that a call of a restoring operation may make valid again: the one in its response, and of attached files. */
export function restoredIds({ responseJson, requestJson }: Call): readonly string[] {
  const ids = [
    valueAtPath(responseJson, 'id'),
    valueAtPath(requestJson, 'file_id'),
    ...arrayAt(requestJson, 'file_ids'),
  ];
  return ids.filter((id) => typeof id === 'string');
}

export function variantOfResource({ variant }: Resource, operation: string): Variant {
  const { variants } = operationOf(operation);
  const ownVariant = variants.find(({ name }) => name === variant) ?? variants[0];
  if (ownVariant === undefined)
    throw new Error(`${operation} has no variant: add one in schemas/openapi.json.`);
  return ownVariant;
}

/** The fields of an object that only a request can change. */
export function lastingFields(resource: Resource): readonly string[] {
  return membersOfAnswer(resource, resource.retrieve)
    .map(({ name }) => name)
    .filter((name) => !resource.moving?.includes(name));
}

export interface EchoedField {
  readonly name: string;
  readonly node: SchemaMember['node'];
  readonly isOptional: boolean;
}

export function echoedFields(
  resource: Resource,
  operation: string,
  verb: 'create' | 'modify',
): readonly EchoedField[] {
  const responseMembers = new Map(
    membersOfAnswer(resource, operation).map((member) => [member.name, member]),
  );
  const requestMembers = bodyTree(variantOfResource(resource, operation))?.members ?? [];
  const unlike = new Set(resource.unlike);
  return requestMembers.flatMap(({ name, node }) => {
    const member = responseMembers.get(name);
    if (member === undefined || unlike.has(name) || unlike.has(`${verb}.${name}`)) return [];
    return [{ name, node, isOptional: !member.required && !member.expected }];
  });
}

export function ownerFields(resource: Resource): readonly string[] {
  const names = pathParameters(operationOf(resource.retrieve));
  const fields = new Set(membersOfAnswer(resource, resource.retrieve).map(({ name }) => name));
  return names.slice(0, -1).filter((name) => fields.has(name));
}

const membersOfSchema = new Map<string, readonly SchemaMember[]>();

function membersOfAnswer(resource: Resource, operation: string): readonly SchemaMember[] {
  const name = variantOfResource(resource, operation).answers[0]?.schema;
  if (name === null || name === undefined) return [];
  return getOrMake(membersOfSchema, name, () => buildTree({ schema, resolveRef }, name, 'inline').members);
}
