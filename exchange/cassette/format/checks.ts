// Cassettes, journals and HAR files come from others: what their readers rely on is checked by these
// predicates when a line is read, so that no other code has to expect a value of another type.
import { isObject } from '../../../schemas/json.ts';

// Predicates for values of JSON that others wrote, and how they are put together.

/** A predicate for one value. */
export type Check = (value: unknown) => boolean;

/** A string. */
export const isText: Check = (value) => typeof value === 'string';
/** A non-negative safe integer. */
export const isCount: Check = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
/** A finite number. */
export const isTime: Check = (value) => typeof value === 'number' && Number.isFinite(value);
/** The value `true`, as flags are absent where they do not hold. */
export const isFlag: Check = (value) => value === true;
export const isTruth: Check = (value) => typeof value === 'boolean';
/** Any value. */
export const isAny: Check = () => true;
/** Accepts also an absent member. */
export const orNone =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
/** Accepts also null. */
export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
/** An array of values that pass a check. */
export const every =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** An array of two values. */
export const pair =
  (left: Check, right: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length === 2 && left(value[0]) && right(value[1]);
/** An object whose members pass their checks; further members are allowed. */
export const fields = (checks: Readonly<Record<string, Check>>): Check => {
  const members = Object.entries(checks);
  return (value) => {
    if (!isObject(value)) return false;
    for (const [name, check] of members) if (!check(value[name])) return false;
    return true;
  };
};

/** An array of strings. */
export const isTexts: Check = every(isText);

/** The checks of a union's members by the value of one field. */
export const byTag =
  (tag: string, members: Readonly<Record<string, Check>>): Check =>
  (value) => {
    const name = isObject(value) ? value[tag] : undefined;
    return typeof name === 'string' && Object.hasOwn(members, name) && members[name]?.(value) === true;
  };
