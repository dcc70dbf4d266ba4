import type { JsonSchema } from '../../schemas/index.ts';
import { idOf } from './constraints.ts';
import type { Member, Node, Rule, Union } from './node.ts';
import { pathText } from './steps.ts';

/** Keyword of ours: the number of the node, so that its visits are counted. */
export const VISIT = 'x-visit';
/** Annotation of ours: the id of the constraint that a failing keyword of this schema breaks; by property for `required`. */
export const BREAKS = 'x-breaks';

export interface Lowering {
  /** Name of the tree, the first part of ids. */
  readonly tree: string;
  numberOf(node: Node): number;
  /** What a `$ref` to the tree of this name says, or to its body. */
  keyOf(name: string, body: string): string;
}

const BODY = '#/$defs/body';

/** The schema of a whole tree. Its type stands apart from the rest, to which unions that have judged the type refer. */
export function lowerTree(tree: Node, lowering: Lowering): JsonSchema {
  const body = { $ref: lowering.keyOf(lowering.tree, BODY) };
  const $defs = { body: lower({ ...tree, types: null }, lowering, tree) };
  const { types, typing } = tree;
  if (types === null || typing === null) return { allOf: [body], $defs };
  const own = tree.typed ? { type: types, [BREAKS]: { type: idOf(lowering.tree, '', 'type') } } : {};
  return { allOf: [{ [VISIT]: lowering.numberOf(typing), ...own }, body], $defs };
}

/**
 * A schema for ajv that says what the tree says, and tells of each failure which constraint it is.
 * Only the chosen branch of a union is judged.
 */
function lower(node: Node, lowering: Lowering, counted: Node = node): JsonSchema {
  // What a union chose by its type has been judged for it.
  const body = node.typed ? '' : BODY;
  const [onlyRef, second] = node.refs;
  if (isBare(node) && onlyRef !== undefined && second === undefined) {
    return { $ref: lowering.keyOf(onlyRef, body) };
  }
  const child = (inner: Node | null): JsonSchema | undefined =>
    inner === null ? undefined : lower(inner, lowering);
  const required = node.members.filter((member) => member.required);
  const expected = node.members.filter((member) => member.expected);
  const properties = Object.fromEntries(
    node.members.map((member) => [member.name, lower(member.node, lowering)]),
  );
  const allOf = [
    ...(expected.length === 0 ? [] : [presence(expected, lowering)]),
    ...node.rules.map((rule) => across(node, rule, lowering)),
    ...node.refs.map((name) => ({ $ref: lowering.keyOf(name, body) })),
    ...(node.union === null ? [] : choose(node, node.union, lowering)),
  ];
  return defined({
    [VISIT]: lowering.numberOf(counted),
    [BREAKS]: breaks(node, required, lowering),
    type: node.types ?? undefined,
    ...Object.fromEntries(node.assertions.map(({ keyword, value }) => [keyword, value])),
    properties: node.members.length === 0 ? undefined : properties,
    required: required.length === 0 ? undefined : required.map(({ name }) => name),
    items: child(node.items),
    additionalProperties: child(node.values),
    propertyNames: child(node.keys),
    allOf: allOf.length === 0 ? undefined : allOf,
  });
}

function isBare(node: Node): boolean {
  const parts = [node.items, node.values, node.keys, node.union, node.types];
  return (
    parts.every((part) => part === null) &&
    node.members.length + node.assertions.length + node.rules.length === 0
  );
}

function breaks(node: Node, required: readonly Member[], { tree }: Lowering): JsonSchema {
  const keywords = node.assertions.map(({ keyword }) => [keyword, idOf(tree, node.path, keyword)]);
  return {
    type: idOf(tree, node.path, 'type'),
    ...Object.fromEntries(keywords),
    required: byProperty(required, 'required', tree),
  };
}

function byProperty(members: readonly Member[], keyword: string, tree: string): JsonSchema {
  return Object.fromEntries(members.map(({ name, node }) => [name, idOf(tree, node.path, keyword)]));
}

function presence(members: readonly Member[], { tree }: Lowering): JsonSchema {
  return {
    required: members.map(({ name }) => name),
    [BREAKS]: { required: byProperty(members, 'expected', tree) },
  };
}

/** The demand of a rule stands in a `not`, so that its inside reports nothing of its own. */
function across(
  node: Node,
  { name, condition, demand, node: counter }: Rule,
  lowering: Lowering,
): JsonSchema {
  return when(condition, {
    [VISIT]: lowering.numberOf(counter),
    not: { not: demand },
    [BREAKS]: { not: idOf(lowering.tree, node.path, name) },
  });
}

function choose(node: Node, union: Union, lowering: Lowering): JsonSchema[] {
  if (union.by === 'type') {
    return union.branches.map(({ types, node: branch }) =>
      when({ type: [...types] }, lower(branch, lowering)),
    );
  }
  const { property } = union;
  const tags = union.branches.flatMap((branch) => branch.tags ?? []);
  const open = union.branches.some((branch) => branch.tags === null);
  const path = pathText([...node.steps, { step: 'property', name: property }]);
  const id = (keyword: string): string => idOf(lowering.tree, path, keyword);
  const tag = open
    ? { type: 'string', [BREAKS]: { type: id('type') } }
    : { enum: tags, [BREAKS]: { enum: id('enum') } };
  const missing = { required: { [property]: id(open ? 'required' : 'enum') } };
  return [
    { properties: { [property]: tag }, required: [property], [BREAKS]: missing },
    ...union.branches.map(({ tags: own, node: branch }) => {
      const value = own === null ? { type: 'string', not: { enum: tags } } : { enum: own };
      const chosen = { type: 'object', properties: { [property]: value }, required: [property] };
      return when(chosen, lower(branch, lowering));
    }),
  ];
}

function when(condition: JsonSchema, demand: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
  return { if: condition, then: demand };
}

function defined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
