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
  const [left, right] = [Object.entries(a), Object.entries(b)];
  // `[1]` and `{"0": 1}` have equal entries.
  if (Array.isArray(a) !== Array.isArray(b) || left.length !== right.length) return false;
  const other = new Map<string, Json>(right);
  return left.every(([key, value]) => other.has(key) && deepEqual(value, other.get(key)));
}
