// Compares two reports of one object, or a request with its response, and accepts every difference that the specification leaves
// open.
import { deepEqual, isObject, valueAtPath } from './json.ts';
import { violation } from './statements.ts';
import type { Json, Violation } from './types.ts';

/** A field that one of them lacks is not compared. */
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

export function isAnother(one: Json | undefined, other: Json | undefined): boolean {
  return one !== undefined && other !== undefined && !deepEqual(one, other);
}

const UNORDERED: readonly string[] = ['tools', 'file_ids', 'tool_resources'];

function areAlike(field: string, one: Json, other: Json): boolean {
  if (UNORDERED.includes(field)) return containsRequested(one, other) && containsRequested(other, one);
  return deepEqual(one, other) || isNear(one, other);
}

/**
 * Whether a response contains the requested value. Objects may have more members, lists another order; duplicates may be
 * reported once, and empty values left out.
 */
export function containsRequested(asked: Json | undefined, actual: Json | undefined): boolean {
  if (asked === null || asked === undefined) return true;
  if (isEmpty(asked) && (actual ?? null) === null) return true;
  if (Array.isArray(asked)) {
    return Array.isArray(actual) && [asked, distinct(asked)].some((wanted) => carriesAll(wanted, actual));
  }
  if (!isObject(asked)) return deepEqual(asked, actual) || isNear(asked, actual);
  return (
    isObject(actual) &&
    Object.entries(asked).every(([key, value]) => {
      // A function without parameters may be reported without them.
      const isSchema = key === 'parameters' && !isEmpty(value);
      return isSchema ? carriesSchema(value, actual[key]) : containsRequested(value, actual[key]);
    })
  );
}

function carriesSchema(asked: Json, actual: Json | undefined): boolean {
  if (Array.isArray(asked)) {
    if (!Array.isArray(actual) || actual.length !== asked.length) return false;
    if (asked.every((one) => typeof one === 'string')) return carriesAll(asked, actual);
    return asked.every((one, i) => carriesSchema(one, actual[i]));
  }
  if (!isObject(asked)) return deepEqual(asked, actual ?? null) || isNear(asked, actual);
  return isObject(actual) && Object.entries(asked).every(([key, value]) => carriesSchema(value, actual[key]));
}

/** Exact matches first, lest an element with fewer members take the match of one with more. */
function carriesAll(asked: readonly Json[], actual: readonly Json[]): boolean {
  const left = [...actual];
  const take = (fits: (other: Json) => boolean): boolean => {
    const found = left.findIndex(fits);
    if (found !== -1) left.splice(found, 1);
    return found !== -1;
  };
  const others = asked.filter((one) => !take((other) => deepEqual(one, other)));
  return others.every((one) => take((other) => containsRequested(one, other))) && left.length === 0;
}

function isNear(one: Json, other: Json | undefined): boolean {
  if (typeof one !== 'number' || typeof other !== 'number' || Number.isInteger(one)) return false;
  return Math.fround(one) === Math.fround(other);
}

export function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((inner) => inner === null || isEmpty(inner));
}

function distinct(list: readonly Json[]): readonly Json[] {
  return list.filter((one, i) => list.findIndex((other) => deepEqual(one, other)) === i);
}

export function briefValue(value: Json): string {
  // As much as fits into a line of a report.
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

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
