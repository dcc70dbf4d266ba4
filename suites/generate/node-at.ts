// Lookup of a place in a schema tree by the steps that lead to it.
import type { InstanceStep, SchemaNode } from '../../judge/schema/node.ts';

/** One alternative of a union in a schema tree. */
export type Branch = NonNullable<SchemaNode['union']>['branches'][number];

/** The node that steps lead to, or null where the tree says nothing. */
export function nodeAt(root: SchemaNode, steps: readonly InstanceStep[]): SchemaNode | null {
  let here: SchemaNode | null = root;
  for (const step of steps) {
    if (here === null) return null;
    here = below(here, step);
  }
  return here;
}

/** The node one step further down; null where the schema has no such member, element or branch. */
function below(node: SchemaNode, step: InstanceStep): SchemaNode | null {
  switch (step.step) {
    case 'property':
      return node.members.find(({ name }) => name === step.name)?.node ?? null;
    case 'items':
      return node.items;
    case 'values':
      return node.values;
    case 'keys':
      return node.keys;
    case 'branch':
      return branchNamed(node, step.name)?.node ?? null;
  }
}

/** The branch of a union that a step names: by its discriminator values, or by its types. */
export function branchNamed(node: SchemaNode, name: string): Branch | undefined {
  return node.union?.branches.find((branch) => {
    if ('tags' in branch) return (branch.tags?.join('|') ?? 'other') === name;
    return branch.types.filter((type) => type !== 'null').join('|') === name;
  });
}
