// Judges the text of query parameters. Unlike the same check of answers it knows limits: a service may clamp what is beyond
// them, but the specification tells clients not to send it.
import { probeRequirementId, type RequestConstraint } from '../probe/constraints.ts';
import type { RequestViolation } from '../probe/unlabelled-violations.ts';
import { constraintPhrase } from '../schema/sentence.ts';

/** The constraint that the text of a query parameter breaks; null if it keeps the constraint. */
export function queryViolation(constraint: RequestConstraint, given: string): RequestViolation | null {
  if (keeps(constraint, given)) return null;
  const name = constraint.pointer.slice('query.'.length);
  const id = probeRequirementId(constraint, 'rejected');
  return { id, of: constraint, at: `query ${name}`, expected: constraintPhrase(constraint), actual: given };
}

/** Limits hold for numbers, types for texts that can be read as such. */
function keeps({ keyword, value }: RequestConstraint, given: string): boolean {
  const number = given.trim() === '' ? Number.NaN : Number(given);
  switch (keyword) {
    case 'enum':
      return !Array.isArray(value) || value.includes(given);
    case 'type':
      return (
        !isNumeric(value) || (asksForInteger(value) ? Number.isInteger(number) : Number.isFinite(number))
      );
    // A text that is not a number breaks the type alone.
    case 'minimum':
      return Number.isNaN(number) || number >= Number(value);
    case 'maximum':
      return Number.isNaN(number) || number <= Number(value);
    case 'maxLength':
      return [...given].length <= Number(value);
    default:
      return true;
  }
}

/** Whether only numbers are allowed. */
function isNumeric(types: unknown): boolean {
  return Array.isArray(types) && types.every((type) => type === 'integer' || type === 'number');
}

/** Whether a number has to be whole. */
function asksForInteger(types: unknown): boolean {
  return Array.isArray(types) && types.length === 1 && types[0] === 'integer';
}
