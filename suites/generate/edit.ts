import { isOfType } from '../../judge/schema/json-kinds.ts';
import type { SchemaNode } from '../../judge/schema/tree/node.ts';
import type { InstanceStep } from '../../judge/schema/tree/steps.ts';
import { type Branch, branchNamed } from './node-at.ts';
import {
  isFieldObject,
  type SampleValues,
  sampleBranch,
  sampleElements,
  samplePairs,
  sampleValue,
} from './values.ts';

/** Says that a value is to be left out. */
export const ABSENT = Symbol('absent');

/**
 * A copy of `value` in which the place that `steps` lead to is what `change` makes of it (`absent` leaves it out).
 * Missing parents are created with valid values; a member of another branch is replaced by one of the branch.
 */
export function editAt(
  node: SchemaNode | null,
  value: unknown,
  steps: readonly InstanceStep[],
  samples: SampleValues,
  change: (current: unknown) => unknown,
): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value);
  switch (step.step) {
    case 'property':
      return editMember(node, value, step.name, rest, samples, change);
    case 'items': {
      const list =
        Array.isArray(value) && value.length > 0
          ? value
          : node === null
            ? []
            : sampleElements(node, 1, samples);
      const [first, ...others] = list;
      const edited = editAt(node?.items ?? null, first, rest, samples, change);
      // Elements of several types are several lists, as prompts of text and prompts of tokens are; no list holds both.
      return node?.items?.union?.by === 'type' ? [edited] : [edited, ...others];
    }
    case 'values': {
      const map = filled(node, value, samples);
      const [key = 'key_0', first] = Object.entries(map)[0] ?? [];
      return { ...map, [key]: editAt(node?.values ?? null, first, rest, samples, change) };
    }
    case 'keys': {
      const [[key = 'key_0', first] = [], ...others] = Object.entries(filled(node, value, samples));
      return Object.fromEntries([[String(change(key)), first], ...others]);
    }
    case 'branch': {
      const branch = node === null ? undefined : branchNamed(node, step.name);
      const foreign = node !== null && branch !== undefined && !belongs(node, branch, value);
      const chosen = foreign ? sampleBranch(node, branch, samples) : value;
      return editAt(branch?.node ?? null, chosen, rest, samples, change);
    }
  }
}

function editMember(
  node: SchemaNode | null,
  value: unknown,
  name: string,
  rest: readonly InstanceStep[],
  samples: SampleValues,
  change: (current: unknown) => unknown,
): unknown {
  const object = isFieldObject(value) ? value : node === null ? {} : sampleValue(node, samples);
  const child = node?.members.find((member) => member.name === name)?.node ?? null;
  const known = isFieldObject(object) ? object[name] : undefined;
  const current =
    known === undefined && rest.length > 0 && child !== null ? sampleValue(child, samples) : known;
  const { [name]: _, ...others } = isFieldObject(object) ? object : {};
  const made = editAt(child, current, rest, samples, change);
  return made === ABSENT ? others : { ...others, [name]: made };
}

function filled(
  node: SchemaNode | null,
  value: unknown,
  samples: SampleValues,
): Readonly<Record<string, unknown>> {
  if (isFieldObject(value) && Object.keys(value).length > 0) return value;
  return node === null ? {} : samplePairs(node, 1, samples);
}

function belongs(node: SchemaNode, branch: Branch, value: unknown): boolean {
  if (!('tags' in branch)) return branch.types.some((type) => type !== 'null' && isOfType(value, type));
  if (node.union?.by !== 'tag' || !isFieldObject(value)) return false;
  const tag = value[node.union.property];
  if (branch.tags !== null) return branch.tags.some((one) => one === tag);
  return !node.union.branches.some((other) => 'tags' in other && other.tags?.some((one) => one === tag));
}
