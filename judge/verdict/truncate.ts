// Bounds the size of a report: a target decides how large the values in findings are.
import type { Json } from '../../exchange/http/body.ts';

/** Limits of a value in a finding: levels, values, characters. */
const DEPTH = 32;
const VALUES = 1_000;
const CHARACTERS = 10_000;

/** A value as a finding shows it; a description if it is too deep or too large. */
export function truncateValue(value: Json): Json {
  if (typeof value === 'string' && value.length > CHARACTERS) return `${value.slice(0, CHARACTERS)}…`;
  if (
    typeof value !== 'object' ||
    value === null ||
    fits(value, DEPTH, { values: VALUES, characters: CHARACTERS })
  )
    return value;
  return Array.isArray(value)
    ? `an array of ${value.length}, too large to show`
    : `an object of ${Object.keys(value).length}, too large to show`;
}

/** Subtracts from what is left to show; false once that is exceeded. */
function fits(value: Json, depth: number, left: { values: number; characters: number }): boolean {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (depth === 0 || left.values < 0 || left.characters < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((inner) => fits(inner, depth - 1, left));
}
