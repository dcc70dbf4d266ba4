import type { Json } from '../../exchange/body.ts';
import type { Node } from '../../judge/schema/node.ts';
import type { Branch } from './node-at.ts';

/** Valid values by path, where the schema alone does not tell one. */
export type Samples = Readonly<Record<string, (i: number) => unknown>>;

const letters = 'assay';

/** A valid value of a node: the family's own, or what the schema allows; `i` tells elements of a list apart. */
export function sample(node: Node, samples: Samples, i = 0): unknown {
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
      return elements(node, Math.max(limit(node, 'minItems') ?? 1, 1), samples);
    case 'object':
      return objectOf(node, samples);
  }
}

/** A valid value of one branch of a union, with its discriminator. */
export function sampleBranch(node: Node, branch: Branch, samples: Samples, i = 0): unknown {
  if (samples[branch.node.path] !== undefined) return sample(branch.node, samples, i);
  const value = sample(branch.node, samples, i);
  if (node.union?.by !== 'tag' || !isObject(value) || !('tags' in branch)) return value;
  return { [node.union.property]: branch.tags?.[0] ?? 'assay_other', ...value };
}

/** A list of so many valid elements. */
export function elements(node: Node, count: number, samples: Samples): unknown[] {
  const { items } = node;
  return Array.from({ length: count }, (_, i) => (items === null ? letters : sample(items, samples, i)));
}

/** A map of so many valid pairs. */
export function pairs(node: Node, count: number, samples: Samples): Record<string, unknown> {
  const { values } = node;
  const pair = (i: number): [string, unknown] => [
    `key_${i}`,
    values === null ? letters : sample(values, samples, i),
  ];
  return Object.fromEntries(Array.from({ length: count }, (_, i) => pair(i)));
}

function objectOf(node: Node, samples: Samples): Record<string, unknown> {
  const required = node.members.filter((member) => member.required);
  return Object.fromEntries(required.map((member) => [member.name, sample(member.node, samples)]));
}

function within(node: Node): number {
  const least = limit(node, 'minimum');
  const most = limit(node, 'maximum');
  if (least !== undefined && least > 1) return least;
  return most !== undefined && most < 1 ? most : 1;
}

function listed(node: Node): readonly unknown[] {
  const fixed = node.assertions.find(({ keyword }) => keyword === 'const' || keyword === 'enum')?.value;
  if (fixed !== undefined) return Array.isArray(fixed) ? fixed : [fixed];
  const seen = node.notes['x-open-enum'];
  return Array.isArray(seen) ? seen : [];
}

function limit(node: Node, keyword: string): number | undefined {
  const value = node.assertions.find((one) => one.keyword === keyword)?.value;
  return typeof value === 'number' ? value : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
