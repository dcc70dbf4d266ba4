// Edits of one place in a valid body. Probes use them to violate one constraint and to keep every other one.

import type { InstanceStep, SchemaNode } from '../../judge/schema/node.ts';
import { isOfType } from '../../judge/trace/json.ts';
import { type Branch, branchNamed } from './node-at.ts';
import {
  isFieldObject,
  type SampleValues,
  sampleBranch,
  sampleElements,
  samplePairs,
  sampleValue,
} from './values.ts';

/** Returned by a change in place of a value that is to be left out. */
export const ABSENT = Symbol('absent');

/** A value and the schema that it has; null where no schema describes it. */
interface TypedValue {
  readonly node: SchemaNode | null;
  readonly value: unknown;
}

/** The edit of one place of a value. */
export interface ValueEdit {
  /** Valid values by path, used for parents that are missing. */
  readonly samples: SampleValues;
  /** Returns the new value of the place; `ABSENT` leaves it out. */
  readonly change: (current: unknown) => unknown;
}

/**
 * A copy of `value` with the place at the end of `steps` edited. Missing parents are created with valid values; a
 * member of another branch is replaced by one of the branch.
 */
export function editAt(
  node: SchemaNode | null,
  value: unknown,
  steps: readonly InstanceStep[],
  edit: ValueEdit,
): unknown {
  const [step, ...rest] = steps;
  const { samples, change } = edit;
  if (step === undefined) return change(value);
  switch (step.step) {
    case 'property':
      return editMember({ node, value }, step.name, rest, edit);
    case 'items':
      return editFirstElement({ node, value }, rest, edit);
    case 'values': {
      const map = filled(node, value, samples);
      const [key = 'key_0', first] = Object.entries(map)[0] ?? [];
      return { ...map, [key]: editAt(node?.values ?? null, first, rest, edit) };
    }
    case 'keys': {
      const [[key = 'key_0', first] = [], ...others] = Object.entries(filled(node, value, samples));
      return Object.fromEntries([[String(change(key)), first], ...others]);
    }
    case 'branch': {
      const branch = node === null ? undefined : branchNamed(node, step.name);
      const foreign = node !== null && branch !== undefined && !belongs(node, branch, value);
      const chosen = foreign ? sampleBranch(node, branch, samples) : value;
      return editAt(branch?.node ?? null, chosen, rest, edit);
    }
  }
}

/** Edits inside the first element of a list; an empty list gets a valid element first. */
function editFirstElement(
  { node, value }: TypedValue,
  rest: readonly InstanceStep[],
  edit: ValueEdit,
): unknown {
  const samples = node === null ? [] : sampleElements(node, 1, edit.samples);
  const [first, ...others] = Array.isArray(value) && value.length > 0 ? value : samples;
  const edited = editAt(node?.items ?? null, first, rest, edit);
  // Elements of several types are several lists, as prompts of text and prompts of tokens are; no list holds both.
  return node?.items?.union?.by === 'type' ? [edited] : [edited, ...others];
}

/** Edits inside one property; a missing object gets valid members first. */
function editMember(
  { node, value }: TypedValue,
  name: string,
  rest: readonly InstanceStep[],
  edit: ValueEdit,
): unknown {
  const { samples } = edit;
  const object = isFieldObject(value) ? value : node === null ? {} : sampleValue(node, samples);
  const child = node?.members.find((member) => member.name === name)?.node ?? null;
  const known = isFieldObject(object) ? object[name] : undefined;
  const current =
    known === undefined && rest.length > 0 && child !== null ? sampleValue(child, samples) : known;
  const { [name]: _, ...others } = isFieldObject(object) ? object : {};
  const made = editAt(child, current, rest, edit);
  return made === ABSENT ? others : { ...others, [name]: made };
}

/** The value as a map with at least one pair: itself, or a valid sample where it has none. */
function filled(
  node: SchemaNode | null,
  value: unknown,
  samples: SampleValues,
): Readonly<Record<string, unknown>> {
  if (isFieldObject(value) && Object.keys(value).length > 0) return value;
  return node === null ? {} : samplePairs(node, 1, samples);
}

/** Whether a value is already of this branch of a union, by its discriminator or its JSON type. */
function belongs(node: SchemaNode, branch: Branch, value: unknown): boolean {
  if (!('tags' in branch)) return branch.types.some((type) => type !== 'null' && isOfType(value, type));
  if (node.union?.by !== 'tag' || !isFieldObject(value)) return false;
  const tag = value[node.union.property];
  if (branch.tags !== null) return branch.tags.some((one) => one === tag);
  return !node.union.branches.some((other) => 'tags' in other && other.tags?.some((one) => one === tag));
}
