// Compares two reports of one object, and accepts every difference that the specification leaves open.
import { containsRequested, isNear } from '../rows/compare.ts';
import { deepEqual, isObject, valueAtPath } from './json.ts';
import { violation } from './statements.ts';
import type { Json, Violation } from './types.ts';

export { containsRequested, isAnother, isEmpty } from '../rows/compare.ts';

/** The fields that differ. A field that one of the reports lacks is not compared. */
export function fieldDifferences(
  fields: readonly string[],
  earlier: { readonly value: Json; readonly by: string },
  shown: Json,
  at: string,
): Violation[] {
  return fields.flatMap((field) => {
    const [expected, actual] = [valueAtPath(earlier.value, field), valueAtPath(shown, field)];
    if (expected === undefined || actual === undefined || areAlike(field, expected, actual)) return [];
    return [violation(`${at}/${field}`, `${briefValue(expected)}, as in ${earlier.by}`, actual)];
  });
}

const UNORDERED_FIELDS: readonly string[] = ['tools', 'file_ids', 'tool_resources'];

function areAlike(field: string, one: Json, other: Json): boolean {
  if (UNORDERED_FIELDS.includes(field)) return containsRequested(one, other) && containsRequested(other, one);
  return deepEqual(one, other) || isNear(one, other);
}

/** JSON of at most 120 characters, which fits a line of a report. */
export function briefValue(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

/** A different value of the same type, if there is one. */
export function anotherValue(value: Json | undefined): Json {
  switch (typeof value) {
    case 'string':
      return value === 'auto' ? 'another' : `${value.slice(0, 200)}?`;
    case 'number':
      return value === 0 ? 1 : value / 2;
    case 'boolean':
      return !value;
    default:
      if (Array.isArray(value)) return value.length === 0 ? ['another'] : [];
      return isObject(value) ? { another: 'one' } : 'another';
  }
}

export function reducedValue(value: Json | undefined): Json {
  if (typeof value === 'string') return value.slice(0, -1);
  if (Array.isArray(value)) return value.slice(0, -1);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).slice(0, -1));
  return typeof value === 'number' ? value - 0.5 : anotherValue(value);
}

export function extendedValue(value: Json | undefined): Json {
  if (typeof value === 'number') return value + 0.5;
  if (Array.isArray(value)) return [...value, ...(value.length === 0 ? [null] : value)];
  if (isObject(value)) return { ...value, more: true };
  return typeof value === 'string' ? `${value}_` : anotherValue(value);
}
