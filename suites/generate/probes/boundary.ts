// Only values that no lenient reader can take for valid ones are used as violations.
// Values at and beyond the boundary of one constraint. Text is ASCII, so that code points and bytes agree.
import { demandsNull, type RequestConstraint } from '../../../judge/probe/constraints.ts';
import type { SchemaNode } from '../../../judge/schema/node.ts';
import { isOfType, type JsonType } from '../../../judge/trace/json.ts';
import { type SampleValues, sampleBranch, sampleElements, samplePairs, sampleValue } from '../values.ts';

/** Values that keep a constraint, at its boundary where it has one; the first one is the control of a violation. */
export function validValues(constraint: RequestConstraint, samples: SampleValues): readonly unknown[] {
  const { keyword, value, node } = constraint;
  switch (keyword) {
    case 'minimum':
    case 'maximum':
      return [value];
    case 'minLength':
    case 'maxLength':
      return [letters(count(value))];
    case 'minItems':
    case 'maxItems':
      return [sampleElements(node, count(value), samples)];
    case 'minProperties':
    case 'maxProperties':
      return [samplePairs(node, count(value), samples)];
    case 'enum':
      return list(value);
    case 'const':
      return [value];
    case 'type':
      return ofEachType(node, samples);
    default:
      return [sampleValue(node, samples)];
  }
}

/** Values that break a constraint and, as far as it goes, nothing else; none where no value can. */
export function invalidValues(constraint: RequestConstraint, samples: SampleValues): readonly unknown[] {
  const { keyword, value, node } = constraint;
  switch (keyword) {
    case 'minimum':
      return [round(number(value) - step(node))];
    case 'maximum':
      return [round(number(value) + step(node))];
    case 'minLength':
      return count(value) === 0 ? [] : [letters(count(value) - 1)];
    case 'maxLength':
      return [letters(count(value) + 1)];
    case 'minItems':
      return count(value) === 0 ? [] : [sampleElements(node, count(value) - 1, samples)];
    case 'maxItems':
      return [sampleElements(node, count(value) + 1, samples)];
    case 'minProperties':
      return count(value) === 0 ? [] : [samplePairs(node, count(value) - 1, samples)];
    case 'maxProperties':
      return [samplePairs(node, count(value) + 1, samples)];
    case 'enum':
    case 'const':
      return ['assay_no_such_value'];
    case 'type':
      return wrongType(list(value));
    default:
      return [];
  }
}

/** One valid value for each type and branch. */
function ofEachType(node: SchemaNode, samples: SampleValues): readonly unknown[] {
  const nulls = demandsNull(node) ? [null] : [];
  if (node.union?.by === 'type') {
    const branches = node.union.branches.filter((branch) => branch.types.some((type) => type !== 'null'));
    return [...branches.map((branch) => sampleBranch(node, branch, samples)), ...nulls];
  }
  const value = sampleValue(node, samples);
  const others = value === true ? [false] : [];
  return [value, ...others, ...nulls];
}

/** Something that no lenient reader takes for the wanted type. */
function wrongType(types: readonly unknown[]): readonly unknown[] {
  const candidates = [{ assay: true }, 'assay', 12_345, ['assay']];
  // as: the value of `type` in a schema
  const wrong = candidates.filter((value) => !types.some((type) => isOfType(value, type as JsonType)));
  // A number is often read from text: text that holds none is to be refused, too.
  return wrong.slice(0, types.includes('integer') || types.includes('number') ? 2 : 1);
}

/** ASCII text of this length, in code points as in bytes. */
function letters(length: number): string {
  return 'a'.repeat(length);
}

/** How far the next number is: whole for integers, else a tenth. */
function step(node: SchemaNode): number {
  return node.types?.includes('number') ? 0.1 : 1;
}

/** Rounds to six decimals, since sums of tenths are not exact in binary. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The value of a numeric keyword; NaN where it is not a number. */
function number(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

/** The value of a keyword that counts characters, elements or pairs; 0 where it is not a number. */
function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The value of a keyword as a list; a single value becomes a list of one. */
function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
