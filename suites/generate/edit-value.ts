import type { InstanceStep, SchemaNode } from '../../judge/schema/node.ts';
import { isOfType } from '../../judge/trace/json.ts';
import {
  type Branch,
  isFieldObject,
  type SampleValues,
  sampleBranch,
  sampleElements,
  samplePairs,
  sampleValue,
} from './values.ts';

export function nodeAt(root: SchemaNode, steps: readonly InstanceStep[]): SchemaNode | null {
  let node: SchemaNode | null = root;
  for (const step of steps) node = node && childAt(node, step);
  return node;
}

function childAt(node: SchemaNode, step: InstanceStep): SchemaNode | null {
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

function branchNamed(node: SchemaNode, name: string): Branch | undefined {
  return node.union?.branches.find((branch) => {
    if ('tags' in branch) return (branch.tags?.join('|') ?? 'other') === name;
    return branch.types.filter((type) => type !== 'null').join('|') === name;
  });
}

/** `ValueEdit.change` returns this to remove a field. */
export const ABSENT = Symbol('absent');

interface TypedValue {
  readonly node: SchemaNode | null;
  readonly value: unknown;
}

export interface ValueEdit {
  readonly samples: SampleValues;
  readonly change: (current: unknown) => unknown;
}

/** Returns a copy with the value at `steps` changed; creates missing parents, and replaces values of other branches. */
export function editAt(
  node: SchemaNode | null,
  value: unknown,
  steps: readonly InstanceStep[],
  edit: ValueEdit,
): unknown {
  const [step, ...innerSteps] = steps;
  const { samples, change } = edit;
  if (step === undefined) return change(value);
  switch (step.step) {
    case 'property':
      return editMember({ node, value }, step.name, innerSteps, edit);
    case 'items':
      return editFirstElement({ node, value }, innerSteps, edit);
    case 'values': {
      const map = mapWithPair(node, value, samples);
      const [key = 'key_0', first] = Object.entries(map)[0] ?? [];
      return { ...map, [key]: editAt(node?.values ?? null, first, innerSteps, edit) };
    }
    case 'keys': {
      const [[key = 'key_0', first] = [], ...others] = Object.entries(mapWithPair(node, value, samples));
      return Object.fromEntries([[String(change(key)), first], ...others]);
    }
    case 'branch': {
      const branch = node === null ? undefined : branchNamed(node, step.name);
      const isForeign = node !== null && branch !== undefined && !isOfBranch(node, branch, value);
      const branchValue = isForeign ? sampleBranch(node, branch, samples) : value;
      return editAt(branch?.node ?? null, branchValue, innerSteps, edit);
    }
  }
}

function editFirstElement(
  { node, value }: TypedValue,
  innerSteps: readonly InstanceStep[],
  edit: ValueEdit,
): unknown {
  const samples = node === null ? [] : sampleElements(node, 1, edit.samples);
  const [first, ...others] = Array.isArray(value) && value.length > 0 ? value : samples;
  const edited = editAt(node?.items ?? null, first, innerSteps, edit);
  // All elements of a list have the same type: prompts are all texts, or all tokens.
  return node?.items?.union?.by === 'type' ? [edited] : [edited, ...others];
}

function editMember(
  { node, value }: TypedValue,
  name: string,
  innerSteps: readonly InstanceStep[],
  edit: ValueEdit,
): unknown {
  const { samples } = edit;
  const object = isFieldObject(value) || node === null ? value : sampleValue(node, samples);
  const { [name]: original, ...others } = isFieldObject(object) ? object : {};
  const child = node?.members.find((member) => member.name === name)?.node ?? null;
  const current =
    original === undefined && innerSteps.length > 0 && child !== null
      ? sampleValue(child, samples)
      : original;
  const edited = editAt(child, current, innerSteps, edit);
  return edited === ABSENT ? others : { ...others, [name]: edited };
}

function mapWithPair(
  node: SchemaNode | null,
  value: unknown,
  samples: SampleValues,
): Readonly<Record<string, unknown>> {
  if (isFieldObject(value) && Object.keys(value).length > 0) return value;
  return node === null ? {} : samplePairs(node, 1, samples);
}

function isOfBranch(node: SchemaNode, branch: Branch, value: unknown): boolean {
  if (!('tags' in branch)) return branch.types.some((type) => type !== 'null' && isOfType(value, type));
  if (node.union?.by !== 'tag' || !isFieldObject(value)) return false;
  const tag = value[node.union.property];
  if (branch.tags !== null) return branch.tags.some((one) => one === tag);
  return !node.union.branches.some((other) => 'tags' in other && other.tags?.some((one) => one === tag));
}
