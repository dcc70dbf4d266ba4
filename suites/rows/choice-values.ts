import type { Evidence } from '../../judge/requirements/requirement.ts';
import { deepEqual, isObject, numberAt } from '../../judge/trace/json.ts';
import type { Json } from '../../schemas/json.ts';

/** The name of an alternative; null if evidence shows none. */
export type AlternativeName = string | null;

export type AlternativeReader<E = Evidence> = (evidence: E) => AlternativeName;

/**
 * Like `fieldState`, for a value. If `present` is null, a value that is present shows no alternative. Example:
 * `stateOf(image.revised_prompt, null)`.
 */
export function stateOf(
  value: Json | undefined,
  present: string | null,
  empty: string | null = present,
): AlternativeName {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return value === '' || deepEqual(value, {}) || deepEqual(value, []) ? empty : present;
}

/** Like `fieldKeys`, for a value; without the excluded names. Example: `keysOf(step.last_error)`. */
export function keysOf(value: Json | undefined, ...without: readonly string[]): AlternativeName {
  if (!isObject(value)) return null;
  return Object.keys(value)
    .filter((name) => !without.includes(name))
    .toSorted()
    .join(', ');
}

/**
 * Compares a field with the sum of other fields of the same object; null if one of the others is missing. Example:
 * `sumState(counts, 'total', ['done', 'failed'])`.
 */
export function sumState(value: Json | undefined, total: string, parts: readonly string[]): AlternativeName {
  const sum = sumOf(parts.map((part) => numberAt(value, part)));
  if (sum === null) return null;
  return numberAt(value, total) === sum ? 'the sum' : 'another number';
}

/**
 * Compares a total with the sum of numbers; null if it or one of them is missing. Example: `totalState(used, sizes)`.
 */
export function totalState(
  total: number | undefined,
  parts: readonly (number | undefined)[],
): AlternativeName {
  const sum = sumOf(parts);
  if (total === undefined || sum === null) return null;
  return total === sum ? 'the sum' : 'another number';
}

/** Compares values with each other; null if there are fewer than two. Example: `equality(texts, 'equal', 'others')`. */
export function equality(values: readonly unknown[], same: string, other: string): AlternativeName {
  if (values.length < 2) return null;
  const [first, ...others] = values as readonly Json[]; // as: evidence has JSON values only
  return others.every((one) => deepEqual(one, first)) ? same : other;
}

/**
 * Says which events of a stream have a property: `none`, `every one`, `the first` alone, or `some of them`. Example:
 * `bearers(chunks.map(hasRole))`.
 */
export function bearers(has: readonly boolean[]): AlternativeName {
  if (!has.includes(true)) return 'none';
  if (has.every(Boolean) && has.length > 1) return 'every one';
  return has.lastIndexOf(true) === 0 ? 'the first' : 'some of them';
}

function sumOf(numbers: readonly (number | undefined)[]): number | null {
  return numbers.includes(undefined) ? null : numbers.reduce<number>((sum, one = 0) => sum + one, 0);
}
