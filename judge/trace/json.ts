// Reads JSON of any shape without throwing, because nothing can be assumed about values from a target.
import { isJsonObject, type Json, type JsonObject } from '../../schemas/json.ts';

/** Exported under the name that the suites use. */
export { isJsonObject as isObject, type JsonObject } from '../../schemas/json.ts';

/** The value at a path; undefined if the path does not exist. */
export function valueAtPath(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): Json | undefined {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here[step] : undefined;
    else here = isJsonObject(here) && Object.hasOwn(here, step) ? here[String(step)] : undefined;
  }
  return here;
}

/** The array at a path; empty for any other value. */
export function arrayAt(value: Json | undefined, ...path: readonly (string | number)[]): readonly Json[] {
  const target = valueAtPath(value, ...path);
  return Array.isArray(target) ? target : [];
}

/** The elements of a list response, with their JSON pointers. */
export function listElements(
  answer: Json | undefined,
): readonly { readonly at: string; readonly value: Json }[] {
  return arrayAt(answer, 'data').map((value, i) => ({ at: `/data/${i}`, value }));
}

/** The string at a path; undefined for any other value. */
export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string | undefined {
  const target = valueAtPath(value, ...path);
  return typeof target === 'string' ? target : undefined;
}

/** The number at a path; undefined for any other value. */
export function numberAt(value: Json | undefined, ...path: readonly (string | number)[]): number | undefined {
  const target = valueAtPath(value, ...path);
  return typeof target === 'number' ? target : undefined;
}

/** The JSON types, in the order of the numbers that `jsonKindIndex` returns. */
export const JSON_KINDS = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;

export type JsonKind = (typeof JSON_KINDS)[number];

/** A type in a schema; `integer` is not a JSON type. */
export type JsonType = JsonKind | 'integer';

export function jsonKindIndex(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 3;
    case 'number':
      return 2;
    case 'boolean':
      return 1;
    default:
      if (value === null) return 0;
      return Array.isArray(value) ? 4 : 5;
  }
}

export function jsonKindOf(value: unknown): JsonKind {
  return JSON_KINDS[jsonKindIndex(value)] ?? 'object';
}

export function jsonKindOfType(type: JsonType): JsonKind {
  return type === 'integer' ? 'number' : type;
}

/** Whether a value has a type. `1.0` is an integer. */
export function isOfType(value: unknown, type: JsonType): boolean {
  return type === 'integer' ? Number.isInteger(value) : jsonKindOf(value) === type;
}

/** Whether two values are equal, regardless of the order of keys. */
export function deepEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i += 1) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  return !Array.isArray(b) && haveEqualMembers(a as JsonObject, b as JsonObject); // as: neither is an array
}

function haveEqualMembers(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  return true;
}
