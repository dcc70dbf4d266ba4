// JSON types at run time. `integer` is a type in schemas, but not in JSON.
import type { Json } from '../../exchange/http/body.ts';

/** The JSON type of a value; the order is that of the counters. */
export const JSON_KINDS = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;

/** A JSON type. */
export type JsonKind = (typeof JSON_KINDS)[number];

/** A type as schemas name it. */
export type JsonType = JsonKind | 'integer';

/** The place of the JSON type of a value in {@link JSON_KINDS}. */
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

/** The JSON type of a value. */
export function jsonKindOf(value: unknown): JsonKind {
  return JSON_KINDS[jsonKindIndex(value)] ?? 'object';
}

/** The JSON type of a type in a schema. */
export function jsonKindOfType(type: JsonType): JsonKind {
  return type === 'integer' ? 'number' : type;
}

/** Whether a value has a type of a schema; `1.0` is an integer. */
export function isOfType(value: unknown, type: JsonType): boolean {
  return type === 'integer' ? Number.isInteger(value) : jsonKindOf(value) === type;
}

/** Deep equality of JSON values; key order does not matter. */
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

/** No entries are listed: evidence is compared with all earlier evidence, and nearly always differs early. */
function haveEqualMembers(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  return true;
}

type JsonObject = Readonly<Record<string, Json>>;
