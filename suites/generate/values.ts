import { demandsNull, type RequestConstraint } from '../../judge/probe/request-constraints.ts';
import type { SchemaNode } from '../../judge/schema/node.ts';
import { isOfType, type JsonType } from '../../judge/trace/json.ts';
import type { Json } from '../vocabulary/types.ts';
import { OWN_PAIR } from './requests.ts';

export type SampleValues = Readonly<Record<string, (i: number) => unknown>>;
export type Branch = NonNullable<SchemaNode['union']>['branches'][number];

/** ASCII, so that each character of a sample is one byte. */
const WORD = 'assay';
/** Not an integer, but within the range of every integer field. */
const FRACTION = 1.5;

/** A valid value: that of the family if it supplies one, otherwise one from the schema. `i` is the index in a list. */
export function sampleValue(node: SchemaNode, samples: SampleValues, i = 0): unknown {
  const familySample = samples[node.path];
  if (familySample !== undefined) return familySample(i);
  const branch = node.union?.branches.find((one) => 'tags' in one || !one.types.includes('null'));
  if (branch !== undefined) return sampleBranch(node, branch, samples, i);
  const [value] = listedValues(node);
  if (value !== undefined) return value;
  const type = node.types?.find((one) => one !== 'null') ?? 'string';
  switch (type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return numberWithin(node);
    case 'string':
      return WORD.repeat(Math.ceil((limitOf(node, 'minLength') ?? 1) / WORD.length));
    case 'array':
      return sampleElements(node, Math.max(limitOf(node, 'minItems') ?? 1, 1), samples);
    case 'object':
      return sampleObject(node, samples);
  }
}

export function sampleBranch(node: SchemaNode, branch: Branch, samples: SampleValues, i = 0): unknown {
  if (samples[branch.node.path] !== undefined) return sampleValue(branch.node, samples, i);
  const value = sampleValue(branch.node, samples, i);
  if (node.union?.by !== 'tag' || !isFieldObject(value) || !('tags' in branch)) return value;
  return { [node.union.property]: branch.tags?.[0] ?? 'assay_other', ...value };
}

export function sampleElements(node: SchemaNode, count: number, samples: SampleValues): unknown[] {
  const { items } = node;
  return Array.from({ length: count }, (_, i) => (items === null ? WORD : sampleValue(items, samples, i)));
}

/** A map of sample pairs; the first has the key that objects of the suite already have. */
export function samplePairs(node: SchemaNode, count: number, samples: SampleValues): Record<string, unknown> {
  const { values } = node;
  const pair = (i: number): [string, unknown] => [
    i === 0 ? OWN_PAIR : `key_${i}`,
    values === null ? WORD : sampleValue(values, samples, i),
  ];
  return Object.fromEntries(Array.from({ length: count }, (_, i) => pair(i)));
}

/** Omits optional members, so that a probe differs in a single field. */
function sampleObject(node: SchemaNode, samples: SampleValues): Record<string, unknown> {
  const required = node.members.filter((member) => member.required);
  return Object.fromEntries(required.map((member) => [member.name, sampleValue(member.node, samples)]));
}

function numberWithin(node: SchemaNode): number {
  const least = limitOf(node, 'minimum');
  const most = limitOf(node, 'maximum');
  if (least !== undefined && least > 1) return least;
  return most !== undefined && most < 1 ? most : 1;
}

function listedValues(node: SchemaNode): readonly unknown[] {
  const fixed = node.assertions.find(({ keyword }) => keyword === 'const' || keyword === 'enum')?.value;
  if (fixed !== undefined) return Array.isArray(fixed) ? fixed : [fixed];
  const examples = node.notes['x-open-enum'];
  return Array.isArray(examples) ? examples : [];
}

function limitOf(node: SchemaNode, keyword: string): number | undefined {
  const value = node.assertions.find((one) => one.keyword === keyword)?.value;
  return typeof value === 'number' ? value : undefined;
}

export function isFieldObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Values that satisfy a constraint, at its bound if it has one. The first one is the control of the violations. */
export function validValues(constraint: RequestConstraint, samples: SampleValues): readonly unknown[] {
  const { keyword, value, node } = constraint;
  const bound = Number(value);
  switch (keyword) {
    case 'minimum':
    case 'maximum':
    case 'const':
      return [value];
    case 'minLength':
    case 'maxLength':
      return ['a'.repeat(bound)];
    case 'minItems':
    case 'maxItems':
      return [sampleElements(node, bound, samples)];
    case 'minProperties':
    case 'maxProperties':
      return [samplePairs(node, bound, samples)];
    case 'enum':
      return listOf(value);
    case 'type':
      return valuesOfEachType(node, samples);
    default:
      return [sampleValue(node, samples)];
  }
}

/** Values that violate a constraint; empty if none can be generated. */
export function invalidValues(constraint: RequestConstraint, samples: SampleValues): readonly unknown[] {
  const { keyword, value, node } = constraint;
  const bound = Number(value);
  switch (keyword) {
    case 'minimum':
      return [round(bound - stepOf(node))];
    case 'maximum':
      return [round(bound + stepOf(node))];
    case 'minLength':
      return bound === 0 ? [] : ['a'.repeat(bound - 1)];
    case 'maxLength':
      return ['a'.repeat(bound + 1)];
    case 'minItems':
      return bound === 0 ? [] : [sampleElements(node, bound - 1, samples)];
    case 'maxItems':
      return [sampleElements(node, bound + 1, samples)];
    case 'minProperties':
      return bound === 0 ? [] : [samplePairs(node, bound - 1, samples)];
    case 'maxProperties':
      return [samplePairs(node, bound + 1, samples)];
    case 'enum':
    case 'const':
      return ['assay_no_such_value', ...listOf(node.notes['x-elsewhere'] ?? [])];
    case 'type':
      return valuesOfWrongType(listOf(value));
    default:
      return [];
  }
}

function valuesOfEachType(node: SchemaNode, samples: SampleValues): readonly unknown[] {
  const nulls = demandsNull(node) ? [null] : [];
  if (node.union?.by === 'type') {
    const branches = node.union.branches.filter((branch) => branch.types.some((type) => type !== 'null'));
    return [...branches.map((branch) => sampleBranch(node, branch, samples)), ...nulls];
  }
  const value = sampleValue(node, samples);
  const others = value === true ? [false] : [];
  return [value, ...others, ...nulls];
}

function valuesOfWrongType(types: readonly unknown[]): readonly unknown[] {
  // The object comes first: a lenient parser might convert a number or a text.
  const candidates = [{ assay: true }, 'assay', 12_345, ['assay']];
  // as: the value of `type` in a schema
  const wrong = candidates.filter((value) => !types.some((type) => isOfType(value, type as JsonType)));
  if (types.includes('number')) return wrong.slice(0, 2);
  // Numbers are often parsed from text and truncated, so non-numeric text and a fraction must be refused, too.
  return types.includes('integer') ? [...wrong.slice(0, 2), FRACTION] : wrong.slice(0, 1);
}

function stepOf(node: SchemaNode): number {
  return node.types?.includes('number') ? 0.1 : 1;
}

/** Rounds to six decimals, because sums of tenths are not exact in binary. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
