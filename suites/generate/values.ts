// Valid sample values for schemas, from the family where it supplies one, else from the constraints.

import type { SchemaNode } from '../../judge/schema/node.ts';
import type { Json } from '../vocabulary/types.ts';
import type { Branch } from './node-at.ts';
import { OWN_PAIR } from './probes/other-pairs.ts';

/** Valid values by path, where the schema alone does not give one. */
export type SampleValues = Readonly<Record<string, (i: number) => unknown>>;

/** Text that sample strings repeat; ASCII, so that its length is the same in bytes and code points. */
const letters = 'assay';

/** A valid value of a node: the family's own, or what the schema allows; `i` distinguishes elements of a list. */
export function sampleValue(node: SchemaNode, samples: SampleValues, i = 0): unknown {
  const own = samples[node.path];
  if (own !== undefined) return own(i);
  const branch = node.union?.branches.find((one) => 'tags' in one || !one.types.includes('null'));
  if (branch !== undefined) return sampleBranch(node, branch, samples, i);
  const [value] = listed(node);
  if (value !== undefined) return value;
  const type = node.types?.find((one) => one !== 'null') ?? 'string';
  switch (type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return within(node);
    case 'string':
      return letters.repeat(Math.ceil((limit(node, 'minLength') ?? 1) / letters.length));
    case 'array':
      return sampleElements(node, Math.max(limit(node, 'minItems') ?? 1, 1), samples);
    case 'object':
      return objectOf(node, samples);
  }
}

/** A valid value of one branch of a union, with its discriminator. */
export function sampleBranch(node: SchemaNode, branch: Branch, samples: SampleValues, i = 0): unknown {
  if (samples[branch.node.path] !== undefined) return sampleValue(branch.node, samples, i);
  const value = sampleValue(branch.node, samples, i);
  if (node.union?.by !== 'tag' || !isFieldObject(value) || !('tags' in branch)) return value;
  return { [node.union.property]: branch.tags?.[0] ?? 'assay_other', ...value };
}

/** A list of so many valid elements. */
export function sampleElements(node: SchemaNode, count: number, samples: SampleValues): unknown[] {
  const { items } = node;
  return Array.from({ length: count }, (_, i) => (items === null ? letters : sampleValue(items, samples, i)));
}

/** A map of so many valid pairs. The first has the key of the pair that sample objects have already. */
export function samplePairs(node: SchemaNode, count: number, samples: SampleValues): Record<string, unknown> {
  const { values } = node;
  const pair = (i: number): [string, unknown] => [
    i === 0 ? OWN_PAIR : `key_${i}`,
    values === null ? letters : sampleValue(values, samples, i),
  ];
  return Object.fromEntries(Array.from({ length: count }, (_, i) => pair(i)));
}

/** An object with its required members only, so that a probe differs from it in a single field. */
function objectOf(node: SchemaNode, samples: SampleValues): Record<string, unknown> {
  const required = node.members.filter((member) => member.required);
  return Object.fromEntries(required.map((member) => [member.name, sampleValue(member.node, samples)]));
}

/** A valid number inside the bounds of the node. */
function within(node: SchemaNode): number {
  const least = limit(node, 'minimum');
  const most = limit(node, 'maximum');
  if (least !== undefined && least > 1) return least;
  return most !== undefined && most < 1 ? most : 1;
}

/** Values that the schema lists itself: its `const` or `enum`, else its open list (`x-open-enum`). */
function listed(node: SchemaNode): readonly unknown[] {
  const fixed = node.assertions.find(({ keyword }) => keyword === 'const' || keyword === 'enum')?.value;
  if (fixed !== undefined) return Array.isArray(fixed) ? fixed : [fixed];
  const seen = node.notes['x-open-enum'];
  return Array.isArray(seen) ? seen : [];
}

/** The value of a numeric keyword; undefined where the node does not have it. */
function limit(node: SchemaNode, keyword: string): number | undefined {
  const value = node.assertions.find((one) => one.keyword === keyword)?.value;
  return typeof value === 'number' ? value : undefined;
}

/** Whether a value is an object with fields, not a list, a file or null. */
export function isFieldObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
