import { operations, resolveRef, schema } from '../../schemas/index.ts';
import { buildTree } from './build.ts';
import { Inspector, nodesOf } from './inspector.ts';
import type { Node } from './node.ts';

const library = { schema, resolveRef };

/** A schema that answers carry, and where. */
export interface Carried {
  readonly name: string;
  readonly tree: Node;
  /** In the order of `openapi.json`. */
  readonly operations: readonly string[];
  readonly families: readonly string[];
}

let carried: readonly Carried[] | undefined;
let inspector: Inspector | undefined;

/** Every schema that the answer of some operation carries, by itself or inside another. */
export function carriedSchemas(): readonly Carried[] {
  carried ??= collect();
  return carried;
}

/** Judges answers by name of schema. One for all traces: it compiles once. */
export function answerInspector(): Inspector {
  inspector ??= new Inspector(new Map(carriedSchemas().map(({ name, tree }) => [name, tree])));
  return inspector;
}

function collect(): readonly Carried[] {
  const found = new Map<string, { tree: Node; operations: Set<string>; families: Set<string> }>();
  const reach = (name: string, operation: string, family: string): void => {
    const known = found.get(name);
    const entry = known ?? { tree: treeOf(name), operations: new Set(), families: new Set() };
    if (entry.operations.has(operation) && entry.families.has(family)) return;
    found.set(name, entry);
    entry.operations.add(operation);
    entry.families.add(family);
    for (const node of nodesOf(entry.tree)) for (const ref of node.refs) reach(ref, operation, family);
  };
  for (const { id, variants } of operations()) {
    for (const { family, answers } of variants) {
      for (const { schema: name, events } of answers) {
        for (const root of [...(name === null ? [] : [name]), ...Object.values(events ?? {})])
          reach(root, id, family);
      }
    }
  }
  return [...found].map(([name, { tree, ...where }]) => ({
    name,
    tree,
    operations: [...where.operations],
    families: [...where.families],
  }));
}

function treeOf(name: string): Node {
  const tree = buildTree(library, name, 'apart');
  // Text that is no JSON, such as the data of `done`, has no other type that it could have.
  const text = tree.types?.length === 1 && tree.types[0] === 'string';
  return text ? { ...tree, typed: false } : tree;
}
