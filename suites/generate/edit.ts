import { isOfType } from '../../judge/schema/kinds.ts';
import type { Node } from '../../judge/schema/node.ts';
import type { Step } from '../../judge/schema/steps.ts';
import { type Branch, branchNamed } from './node-at.ts';
import { elements, isObject, pairs, type Samples, sample, sampleBranch } from './values.ts';

/** Says that a value is to be left out. */
export const absent = Symbol('absent');

/**
 * A copy of `value` in which the place that `steps` lead to is what `change` makes of it (`absent` leaves it out).
 * What is missing on the way is made up, valid; a member of another branch gives way to one of the branch.
 */
export function edit(
  node: Node | null,
  value: unknown,
  steps: readonly Step[],
  samples: Samples,
  change: (current: unknown) => unknown,
): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value);
  switch (step.step) {
    case 'property':
      return editMember(node, value, step.name, rest, samples, change);
    case 'items': {
      const list =
        Array.isArray(value) && value.length > 0 ? value : node === null ? [] : elements(node, 1, samples);
      const [first, ...others] = list;
      const edited = edit(node?.items ?? null, first, rest, samples, change);
      // Elements of several types are several lists, as prompts of text and prompts of tokens are; no list holds both.
      return node?.items?.union?.by === 'type' ? [edited] : [edited, ...others];
    }
    case 'values': {
      const map = filled(node, value, samples);
      const [key = 'key_0', first] = Object.entries(map)[0] ?? [];
      return { ...map, [key]: edit(node?.values ?? null, first, rest, samples, change) };
    }
    case 'keys': {
      const [[key = 'key_0', first] = [], ...others] = Object.entries(filled(node, value, samples));
      return Object.fromEntries([[String(change(key)), first], ...others]);
    }
    case 'branch': {
      const branch = node === null ? undefined : branchNamed(node, step.name);
      const foreign = node !== null && branch !== undefined && !belongs(node, branch, value);
      const chosen = foreign ? sampleBranch(node, branch, samples) : value;
      return edit(branch?.node ?? null, chosen, rest, samples, change);
    }
  }
}

function editMember(
  node: Node | null,
  value: unknown,
  name: string,
  rest: readonly Step[],
  samples: Samples,
  change: (current: unknown) => unknown,
): unknown {
  const object = isObject(value) ? value : node === null ? {} : sample(node, samples);
  const child = node?.members.find((member) => member.name === name)?.node ?? null;
  const known = isObject(object) ? object[name] : undefined;
  const current = known === undefined && rest.length > 0 && child !== null ? sample(child, samples) : known;
  const { [name]: _, ...others } = isObject(object) ? object : {};
  const made = edit(child, current, rest, samples, change);
  return made === absent ? others : { ...others, [name]: made };
}

function filled(node: Node | null, value: unknown, samples: Samples): Readonly<Record<string, unknown>> {
  if (isObject(value) && Object.keys(value).length > 0) return value;
  return node === null ? {} : pairs(node, 1, samples);
}

function belongs(node: Node, branch: Branch, value: unknown): boolean {
  if (!('tags' in branch)) return branch.types.some((type) => type !== 'null' && isOfType(value, type));
  if (node.union?.by !== 'tag' || !isObject(value)) return false;
  const tag = value[node.union.property];
  if (branch.tags !== null) return branch.tags.some((one) => one === tag);
  return !node.union.branches.some((other) => 'tags' in other && other.tags?.some((one) => one === tag));
}
