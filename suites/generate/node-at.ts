import type { Node } from '../../judge/schema/node.ts';
import type { Step } from '../../judge/schema/steps.ts';

export type Branch = NonNullable<Node['union']>['branches'][number];

/** The node that steps lead to, or null where the tree says nothing. */
export function nodeAt(root: Node, steps: readonly Step[]): Node | null {
  let here: Node | null = root;
  for (const step of steps) {
    if (here === null) return null;
    here = below(here, step);
  }
  return here;
}

function below(node: Node, step: Step): Node | null {
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
export function branchNamed(node: Node, name: string): Branch | undefined {
  return node.union?.branches.find((branch) => {
    if ('tags' in branch) return (branch.tags?.join('|') ?? 'other') === name;
    return branch.types.filter((type) => type !== 'null').join('|') === name;
  });
}
