import type { Json } from '../../exchange/body.ts';

/** The JSON type of a value; the order is that of the counters. */
export const KINDS = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;

export type Kind = (typeof KINDS)[number];

/** A type as schemas name it. */
export type JsonType = Kind | 'integer';

export function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'number':
      return 'number';
    case 'string':
      return 'string';
    default:
      return 'object';
  }
}

export function kindOfType(type: JsonType): Kind {
  return type === 'integer' ? 'number' : type;
}

export function isOfType(value: unknown, type: JsonType): boolean {
  return type === 'integer' ? Number.isInteger(value) : kindOf(value) === type;
}

/** Deep equality of JSON values; key order does not matter. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  if (Array.isArray(a) !== Array.isArray(b) || left.length !== right.length) return false;
  const other = new Map<string, Json>(right);
  return left.every(([key, value]) => other.has(key) && same(value, other.get(key)));
}
