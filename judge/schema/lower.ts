// Lowers a tree to a JSON Schema for ajv that counts visits and names the constraint of each failing keyword.
import type { JsonSchema } from '../../schemas/index.ts';
import { withoutUndefined } from '../../schemas/maps.ts';
import { constraintId } from './constraints.ts';
import {
  type ConditionalRule,
  pathText,
  type SchemaMember,
  type SchemaNode,
  type SchemaUnion,
} from './node.ts';

/** A keyword that assay adds: the number of the node, so that ajv counts its visits. */
export const VISIT = 'x-visit';
/** An annotation of assay: the id of each keyword's constraint, by property for `required`; in a body, also `types`. */
export const BREAKS = 'x-breaks';

export interface Lowering {
  readonly name: string;
  numberOf(node: SchemaNode): number;
  /** The `$ref` to the tree of this name. `part`: empty for the whole tree, or `BODY`. */
  refTo(name: string, part: string): string;
}

/** Reference to the body of a tree: everything but the type of its root. */
const BODY = '#/$defs/body';

/** The body is separate from the type, because unions that have checked the type refer to the body alone. */
export function lowerTree(tree: SchemaNode, lowering: Lowering): JsonSchema {
  const body = { $ref: lowering.refTo(lowering.name, BODY) };
  const $defs = { body: lowerNode({ ...tree, types: null }, lowering, tree) };
  const { types, typeCounter } = tree;
  if (types === null || typeCounter === null) return { allOf: [body], $defs };
  const own = tree.typed ? { type: types, [BREAKS]: { type: constraintId(lowering.name, '', 'type') } } : {};
  return { allOf: [{ [VISIT]: lowering.numberOf(typeCounter), ...own }, body], $defs };
}

function lowerNode(node: SchemaNode, lowering: Lowering, counted: SchemaNode = node): JsonSchema {
  // In a branch of a union, the selection has checked the type.
  const part = node.typed ? '' : BODY;
  const [onlyRef, second] = node.refs;
  if (isOnlyReference(node) && onlyRef !== undefined && second === undefined) {
    return { $ref: lowering.refTo(onlyRef, part) };
  }
  const lowerChild = (inner: SchemaNode | null): JsonSchema | undefined =>
    inner === null ? undefined : lowerNode(inner, lowering);
  const required = node.members.filter((member) => member.required);
  const expected = node.members.filter((member) => member.expected);
  const properties = Object.fromEntries(
    node.members.map((member) => [member.name, lowerNode(member.node, lowering)]),
  );
  const allOf: JsonSchema[] = [];
  if (expected.length > 0)
    allOf.push({
      required: expected.map(({ name }) => name),
      [BREAKS]: { required: idsByProperty(expected, 'expected', lowering.name) },
    });
  for (const rule of node.rules) allOf.push(lowerRule(node, rule, lowering));
  for (const name of node.refs) allOf.push({ $ref: lowering.refTo(name, part) });
  if (node.union !== null) allOf.push(...lowerUnion(node, node.union, lowering));
  return withoutUndefined({
    [VISIT]: lowering.numberOf(counted),
    [BREAKS]: { ...brokenIds(node, required, lowering), ...(counted !== node && { types: counted.types }) },
    type: node.types ?? undefined,
    ...Object.fromEntries(node.assertions.map(({ keyword, value }) => [keyword, value])),
    properties: node.members.length === 0 ? undefined : properties,
    required: required.length === 0 ? undefined : required.map(({ name }) => name),
    items: lowerChild(node.items),
    additionalProperties: lowerChild(node.values),
    propertyNames: lowerChild(node.keys),
    allOf: allOf.length === 0 ? undefined : allOf,
  });
}

function isOnlyReference(node: SchemaNode): boolean {
  const parts = [node.items, node.values, node.keys, node.union, node.types];
  return (
    parts.every((part) => part === null) &&
    node.members.length + node.assertions.length + node.rules.length === 0
  );
}

function brokenIds(node: SchemaNode, required: readonly SchemaMember[], { name }: Lowering): JsonSchema {
  const keywords = node.assertions.map(({ keyword }) => [keyword, constraintId(name, node.path, keyword)]);
  return {
    type: constraintId(name, node.path, 'type'),
    ...Object.fromEntries(keywords),
    required: idsByProperty(required, 'required', name),
  };
}

function idsByProperty(members: readonly SchemaMember[], keyword: string, tree: string): JsonSchema {
  return Object.fromEntries(members.map(({ name, node }) => [name, constraintId(tree, node.path, keyword)]));
}

/** A double `not` makes ajv report one error instead of all errors in the demand. */
function lowerRule(
  node: SchemaNode,
  { name, condition, demand, node: counter }: ConditionalRule,
  lowering: Lowering,
): JsonSchema {
  return ifThen(condition, {
    [VISIT]: lowering.numberOf(counter),
    not: { not: demand },
    [BREAKS]: { not: constraintId(lowering.name, node.path, name) },
  });
}

function lowerUnion(node: SchemaNode, union: SchemaUnion, lowering: Lowering): JsonSchema[] {
  if (union.by === 'type') {
    return union.branches.map(({ types, node: branch }) =>
      ifThen({ type: [...types] }, lowerNode(branch, lowering)),
    );
  }
  const { property } = union;
  const tags = union.branches.flatMap((branch) => branch.tags ?? []);
  const isOpen = union.branches.some((branch) => branch.tags === null);
  const path = pathText([...node.steps, { step: 'property', name: property }]);
  const id = (keyword: string): string => constraintId(lowering.name, path, keyword);
  const tag = isOpen
    ? { type: 'string', [BREAKS]: { type: id('type') } }
    : { enum: tags, [BREAKS]: { enum: id('enum') } };
  const missing = { required: { [property]: id(isOpen ? 'required' : 'enum') } };
  return [
    { properties: { [property]: tag }, required: [property], [BREAKS]: missing },
    ...union.branches.map(({ tags: own, node: branch }) => {
      const value = own === null ? { type: 'string', not: { enum: tags } } : { enum: own };
      const condition = { type: 'object', properties: { [property]: value }, required: [property] };
      return ifThen(condition, lowerNode(branch, lowering));
    }),
  ];
}

function ifThen(condition: JsonSchema, demand: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
  return { if: condition, then: demand };
}
