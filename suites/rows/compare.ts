// Compares values, and accepts every difference that the specification leaves open.
import { deepEqual, isObject } from '../../judge/trace/json.ts';
import type { Json } from '../../schemas/json.ts';

/** Whether both values exist and differ. */
export function isAnother(one: Json | undefined, other: Json | undefined): boolean {
  return one !== undefined && other !== undefined && !deepEqual(one, other);
}

/**
 * Whether a response contains the requested value. Objects may have more members, lists another order; duplicates may be
 * reported once, and empty values left out.
 */
export function containsRequested(asked: Json | undefined, actual: Json | undefined): boolean {
  if (asked === null || asked === undefined) return true;
  // Nearly all responses repeat the request as it is.
  if (deepEqual(asked, actual)) return true;
  if (isEmpty(asked) && (actual ?? null) === null) return true;
  if (Array.isArray(asked)) {
    return Array.isArray(actual) && (matchesAll(asked, actual) || matchesAll(distinct(asked), actual));
  }
  if (!isObject(asked)) return isNear(asked, actual);
  return (
    isObject(actual) &&
    Object.entries(asked).every(([key, value]) => {
      // A function without parameters may be reported without them.
      const isSchema = key === 'parameters' && !isEmpty(value);
      return isSchema ? matchesSchema(value, actual[key]) : containsRequested(value, actual[key]);
    })
  );
}

function matchesSchema(asked: Json, actual: Json | undefined): boolean {
  if (Array.isArray(asked)) {
    if (!Array.isArray(actual) || actual.length !== asked.length) return false;
    if (asked.every((one) => typeof one === 'string')) return matchesAll(asked, actual);
    return asked.every((one, i) => matchesSchema(one, actual[i]));
  }
  if (!isObject(asked)) return deepEqual(asked, actual ?? null) || isNear(asked, actual);
  return isObject(actual) && Object.entries(asked).every(([key, value]) => matchesSchema(value, actual[key]));
}

/** Matches exact elements first, so that an element with fewer members does not take the match of one with more. */
function matchesAll(asked: readonly Json[], actual: readonly Json[]): boolean {
  const unmatched = [...actual];
  const take = (fits: (other: Json) => boolean): boolean => {
    const index = unmatched.findIndex(fits);
    if (index !== -1) unmatched.splice(index, 1);
    return index !== -1;
  };
  const others = asked.filter((one) => !take((other) => deepEqual(one, other)));
  return others.every((one) => take((other) => containsRequested(one, other))) && unmatched.length === 0;
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
