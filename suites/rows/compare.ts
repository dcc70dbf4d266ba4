import { deepEqual, isObject } from '../../judge/trace/json.ts';
import type { Json } from '../../schemas/json.ts';

export function existAndDiffer(one: Json | undefined, other: Json | undefined): boolean {
  return one !== undefined && other !== undefined && !deepEqual(one, other);
}

/**
 * Accepts every difference that the specification leaves open: objects may have more members, lists may be in another
 * order, duplicates may be reported once, empty values may be absent, fractions may be rounded to single precision, and
 * null requests no particular value.
 */
export function containsRequested(expected: Json | undefined, actual: Json | undefined): boolean {
  if (expected === null || expected === undefined) return true;
  // Nearly all responses repeat the requested value unchanged.
  if (deepEqual(expected, actual)) return true;
  if (isEmpty(expected) && (actual ?? null) === null) return true;
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && (matchesAll(expected, actual) || matchesAll(distinct(expected), actual));
  }
  if (!isObject(expected)) return isNear(expected, actual);
  return (
    isObject(actual) &&
    Object.entries(expected).every(([key, value]) => {
      // A function without parameters may be reported without them.
      const isSchema = key === 'parameters' && !isEmpty(value);
      return isSchema ? matchesSchema(value, actual[key]) : containsRequested(value, actual[key]);
    })
  );
}

function matchesSchema(expected: Json, actual: Json | undefined): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    if (expected.every((one) => typeof one === 'string')) return matchesAll(expected, actual);
    return expected.every((one, i) => matchesSchema(one, actual[i]));
  }
  if (!isObject(expected)) return deepEqual(expected, actual ?? null) || isNear(expected, actual);
  return (
    isObject(actual) && Object.entries(expected).every(([key, value]) => matchesSchema(value, actual[key]))
  );
}

/** Whether each expected element can be paired with another actual one that contains it, so that none is left over. */
function matchesAll(expected: readonly Json[], actual: readonly Json[]): boolean {
  if (expected.length !== actual.length) return false;
  const unmatched = [...actual];
  const others = expected.filter((one) => {
    const index = unmatched.findIndex((other) => deepEqual(one, other));
    if (index !== -1) unmatched.splice(index, 1);
    return index === -1;
  });
  const partners = new Map<number, Json>();
  const findPartner = (one: Json, tried: Set<number>): boolean =>
    unmatched.some((other, i) => {
      if (tried.has(i) || !containsRequested(one, other)) return false;
      tried.add(i);
      // An element with fewer members may have to leave its partner to one with more.
      const rival = partners.get(i);
      if (rival !== undefined && !findPartner(rival, tried)) return false;
      partners.set(i, one);
      return true;
    });
  return others.every((one) => findPartner(one, new Set()));
}

/** Whether two fractions are equal in single precision. */
export function isNear(one: Json, other: Json | undefined): boolean {
  if (typeof one !== 'number' || typeof other !== 'number' || Number.isInteger(one)) return false;
  return Math.fround(one) === Math.fround(other);
}

/** Whether a value is a list without elements, or an object whose members are all null or empty. */
export function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((inner) => inner === null || isEmpty(inner));
}

function distinct(list: readonly Json[]): readonly Json[] {
  return list.filter((one, i) => list.findIndex((other) => deepEqual(one, other)) === i);
}
