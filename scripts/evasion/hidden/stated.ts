// Whether the schemas describe what is at a place of an answer. Where they do not, the specification leaves the content open,
// and an answer without it says as much.
import { buildTree } from '../../../judge/schema/tree/build.ts';
import type { SchemaNode } from '../../../judge/schema/tree/node.ts';
import { type Operation, resolveRef, schema } from '../../../schemas/index.ts';
import type { Place } from './places.ts';

/**
 * Content that schemas describe for other answers, by operation, event and first field: nothing says what it is in these. Of the
 * resources of a run no fields are shown; nor are those of a new thread beside its messages, and calls of tools other than
 * functions, of which stored steps are compared with each other.
 */
const OPEN: readonly string[] = [
  'createRun * tool_resources',
  'createThreadAndRun * tool_resources',
  'createThreadAndRun thread.created metadata',
  'createRun thread.run.step.completed step_details',
  'createThreadAndRun thread.run.step.completed step_details',
];

/** Whether a schema says what the object or list at a place contains. */
export function isContentStated(operation: Operation, event: string | null, place: Place): boolean {
  const carriers = event === null ? ['*'] : ['*', event];
  if (carriers.some((carrier) => OPEN.includes(`${operation.id} ${carrier} ${place[0]}`))) return false;
  return nodesAt(operation, event, place).some(
    ({ members, items, values, union }) =>
      members.length > 0 || items !== null || values !== null || union !== null,
  );
}

/** The nodes of a place in all forms of an answer. */
function nodesAt(operation: Operation, event: string | null, place: Place): readonly SchemaNode[] {
  const names = operation.variants.flatMap(({ answers }) =>
    answers.flatMap((answer) => (event === null ? answer.schema : answer.events?.[event]) ?? []),
  );
  return place.reduce<readonly SchemaNode[]>(
    (nodes, step) => nodes.flatMap((node) => [...below(node, step)]),
    [...new Set(names)].flatMap((name) => [...withBranches(treeOf(name))]),
  );
}

/** The nodes one step further down. */
function* below({ members, items, values }: SchemaNode, step: string): Generator<SchemaNode> {
  const inner = step === '*' ? [items, values] : [members.find(({ name }) => name === step)?.node ?? values];
  for (const node of inner) if (node !== null) yield* withBranches(node);
}

/** A node, and the branches of its union. */
function* withBranches(node: SchemaNode): Generator<SchemaNode> {
  yield node;
  for (const branch of node.union?.branches ?? []) yield* withBranches(branch.node);
}

/** Trees by name of their schema: each is asked for hundreds of places. */
const trees = new Map<string, SchemaNode>();

/** The tree of a named schema, references included. */
function treeOf(name: string): SchemaNode {
  const tree = trees.get(name) ?? buildTree({ schema, resolveRef }, name, 'inline');
  trees.set(name, tree);
  return tree;
}
