import type { Json } from '../../exchange/http/body.ts';

/** What a finding keeps of a value at most: nobody reads more, and a report has to hold twenty of each requirement. */
const DEPTH = 32;
const VALUES = 1_000;
const CHARACTERS = 10_000;

/** A value as a finding shows it: whole, unless it is too deep or too large to be read. */
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

/** Spends what is left to show; false as soon as that is not enough. */
function fits(value: Json, depth: number, left: { values: number; characters: number }): boolean {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (depth === 0 || left.values < 0 || left.characters < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((inner) => fits(inner, depth - 1, left));
}
