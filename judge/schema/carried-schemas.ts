import { operations, perSpecification, resolveRef, schema } from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { buildTree } from './build-tree.ts';
import { constraintId, constraintsOf, type SchemaConstraint } from './constraints.ts';
import { generatedValidators } from './generated-validators.ts';
import type { SchemaNode } from './node.ts';
import { nodesOf, SchemaInspector } from './schema-inspector.ts';

const library = { schema, resolveRef };

/** A schema of responses: of a whole body or an event, or one that such a schema refers to. */
export interface CarriedSchema {
  readonly name: string;
  readonly tree: SchemaNode;
  /** In the order of `openapi.json`. */
  readonly operations: readonly string[];
  readonly families: readonly string[];
}

export const carriedSchemas = perSpecification(collect);

/** Judges responses by schema name. Shared by all traces, because compiling is slow. */
export const responseInspector = perSpecification(
  () => new SchemaInspector(carriedTrees(), generatedValidators('responses')),
);

export function isTextEvent(name: string): boolean {
  const tree = carriedTrees().get(name);
  return tree !== undefined && isTextTree(tree);
}

function isTextTree({ types }: SchemaNode): boolean {
  return types?.length === 1 && types[0] === 'string';
}

export const carriedConstraints = perSpecification(
  (): ReadonlyMap<string, SchemaConstraint> =>
    new Map(
      carriedSchemas().flatMap(({ name, tree }) =>
        [...constraintsOf(tree)].map((one) => [constraintId(name, one.path, one.keyword), one] as const),
      ),
    ),
);

export const carriedTrees = perSpecification(
  (): ReadonlyMap<string, SchemaNode> => new Map(carriedSchemas().map(({ name, tree }) => [name, tree])),
);

function collect(): readonly CarriedSchema[] {
  const found = new Map<string, Reached>();
  const reach = (name: string, { operation, family, typed }: Carrier): void => {
    const entry = getOrMake(found, name, () => ({
      tree: treeOf(name),
      typed: false,
      operations: new Set(),
      families: new Set(),
    }));
    // One place that judges the type is enough for the requirement to exist.
    entry.typed ||= typed;
    if (entry.operations.has(operation) && entry.families.has(family)) return;
    entry.operations.add(operation);
    entry.families.add(family);
    for (const node of nodesOf(entry.tree))
      for (const ref of node.refs) reach(ref, { operation, family, typed: node.typed });
  };
  for (const { id, variants } of operations()) {
    for (const { family, answers } of variants) {
      for (const { schema: name, events } of answers) {
        const carrier = { operation: id, family, typed: true };
        if (name !== null) reach(name, carrier);
        for (const eventSchema of Object.values(events ?? {})) reach(eventSchema, carrier);
      }
    }
  }
  return [...found].map(([name, { tree, typed, ...where }]) => ({
    name,
    // If only unions that select by type refer to the schema, a value of another type never reaches it.
    tree: typed ? tree : { ...tree, typed: false },
    operations: [...where.operations],
    families: [...where.families],
  }));
}

interface Carrier {
  readonly operation: string;
  readonly family: string;
  readonly typed: boolean;
}

interface Reached {
  readonly tree: SchemaNode;
  readonly operations: Set<string>;
  readonly families: Set<string>;
  /** Whether the type is judged at one of the places that refer to the schema. */
  typed: boolean;
}

function treeOf(name: string): SchemaNode {
  const tree = buildTree(library, name, 'apart');
  // The data of a text event, such as `done`, is not parsed as JSON, so it cannot have another type.
  return isTextTree(tree) ? { ...tree, typed: false } : tree;
}
