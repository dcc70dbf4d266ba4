import { operations, perSpecification, resolveRef, schema } from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { buildTree } from './build-tree.ts';
import { constraintId, constraintsOf, type SchemaConstraint } from './constraints.ts';
import { generatedValidators } from './generated-validators.ts';
import type { SchemaNode } from './node.ts';
import { nodesOf, SchemaInspector } from './schema-inspector.ts';

const library = { schema, resolveRef };
const treeOf = (name: string): SchemaNode => buildTree(library, name, 'apart');

/** The schema of a whole response body or of an event, or a schema to which such a schema refers. */
export interface ResponseSchema {
  readonly name: string;
  readonly tree: SchemaNode;
  readonly operations: readonly string[];
  readonly families: readonly string[];
}

export const responseSchemas = perSpecification(collectSchemas);

/** All traces share it, because compiling is slow. */
export const responseInspector = perSpecification(
  () => new SchemaInspector(responseTrees(), generatedValidators('responses')),
);

export function isTextEvent(name: string): boolean {
  const tree = responseTrees().get(name);
  return tree !== undefined && isTextTree(tree);
}

function isTextTree({ types }: SchemaNode): boolean {
  return types?.length === 1 && types[0] === 'string';
}

export const responseConstraints = perSpecification(
  (): ReadonlyMap<string, SchemaConstraint> =>
    new Map(
      responseSchemas().flatMap(({ name, tree }) =>
        [...constraintsOf(tree)].map((one) => [constraintId(name, one.path, one.keyword), one] as const),
      ),
    ),
);

export const responseTrees = perSpecification(
  (): ReadonlyMap<string, SchemaNode> => new Map(responseSchemas().map(({ name, tree }) => [name, tree])),
);

function collectSchemas(): readonly ResponseSchema[] {
  const reached = new Map<string, ReachedSchema>();
  const reach = (name: string, { operation, family, typed }: Carrier): void => {
    const sets = () => ({ operations: new Set<string>(), families: new Set<string>() });
    const entry = getOrMake(reached, name, () => ({ tree: treeOf(name), typed: false, ...sets() }));
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
        // The data of a text event, such as `done`, is not parsed as JSON, so it cannot have another type.
        for (const eventSchema of Object.values(events ?? {}))
          reach(eventSchema, { ...carrier, typed: !isTextTree(treeOf(eventSchema)) });
      }
    }
  }
  return [...reached].map(([name, { tree, typed, ...users }]) => ({
    name,
    // If only text events and branches of unions have the schema, a value of another type never reaches it.
    tree: typed ? tree : { ...tree, typed: false },
    operations: [...users.operations],
    families: [...users.families],
  }));
}

interface Carrier {
  readonly operation: string;
  readonly family: string;
  readonly typed: boolean;
}

interface ReachedSchema {
  readonly tree: SchemaNode;
  readonly operations: Set<string>;
  readonly families: Set<string>;
  typed: boolean;
}
