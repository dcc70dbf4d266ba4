// Compares two representations of one object, and accepts every difference that the specification leaves open.
import { truncateText } from '../../exchange/printable.ts';
import { containsRequested, isNear } from '../rows/compare.ts';
import { deepEqual, valueAtPath } from './json.ts';
import { violation } from './statements.ts';
import type { Json, Violation } from './types.ts';

export { containsRequested, existAndDiffer, isEmpty } from '../rows/compare.ts';

/** Returns a violation for each field that differs. A field that one of the two values lacks is not compared. */
export function fieldDifferences(
  fields: readonly string[],
  earlier: { readonly value: Json; readonly by: string },
  later: Json,
  at: string,
): Violation[] {
  return fields.flatMap((field) => {
    const [expected, actual] = [valueAtPath(earlier.value, field), valueAtPath(later, field)];
    if (expected === undefined || actual === undefined || areAlike(field, expected, actual)) return [];
    return [violation(`${at}/${field}`, `${briefValue(expected)}, as in ${earlier.by}`, actual)];
  });
}

const UNORDERED_FIELDS: readonly string[] = ['tools', 'file_ids', 'tool_resources'];

function areAlike(field: string, one: Json, other: Json): boolean {
  if (UNORDERED_FIELDS.includes(field)) return containsRequested(one, other) && containsRequested(other, one);
  return deepEqual(one, other) || isNear(one, other);
}

/** JSON of at most 120 characters, which fits a line of a report. */
export function briefValue(value: Json): string {
  return truncateText(JSON.stringify(value), 120);
}
