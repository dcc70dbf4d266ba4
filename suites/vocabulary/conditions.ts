// Conditions on evidence, for `where`: which requests and responses a statement concerns. Several conditions must all
// hold. Each has the meaning of a row's test at the same place.
import type { Condition, Evidence } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import type { Json } from '../../schemas/json.ts';
import { conditionOf } from '../rows/place-conditions.ts';
import type { Test } from '../rows/test-words.ts';

export type WithRequest = { readonly asked: Json | undefined };

/** Evidence with one call: the only one, or the later of two. */
export type WithCall = { readonly call: Call } | { readonly after: Call };

/** Evidence with one response to read: its JSON, or the call that has it. */
export type WithResponse = { readonly answer: Json } | WithCall;

/** The name of a field, or several separated by dots. */
export type FieldPath = string;

/** The request has this field, with one of the values if any are given. Example: `asks('tool_choice.type', 'auto')`. */
export function asks(place: FieldPath, ...values: readonly Json[]): Condition<WithRequest> {
  return conditionAt(`request.${place}`, valueTest(values));
}

/**
 * Turns a condition on the JSON of a request into one on evidence. Example: `ofRequest(that('whose request names a
 * file', namesFile))`.
 */
export function ofRequest(condition: Condition<Json | undefined>): Condition<WithRequest> {
  const holds = ({ asked }: WithRequest): boolean => condition(asked);
  return condition.needs === undefined ? holds : Object.assign(holds, { needs: condition.needs });
}

/** The request sets this field to a value other than null. Example: `sets('tool_resources')`. */
export function sets(place: FieldPath): Condition<WithRequest> {
  return conditionAt(`request.${place}`, { set: true });
}

/** The request does not set this field, or sets it to null. Example: `unset('name')`. */
export function unset(place: FieldPath): Condition<WithRequest> {
  return conditionAt(`request.${place}`, { set: false });
}

/** The request does not have this field, not even as null. Example: `leavesOut('tool_resources')`. */
export function leavesOut(place: FieldPath): Condition<WithRequest> {
  return conditionAt(`request.${place}`, { present: false });
}

/** The response has this field, with one of the values if any are given. Example: `shows('status', 'failed')`. */
export function shows(place: FieldPath, ...values: readonly Json[]): Condition<WithResponse> {
  return conditionAt(`answer.${place}`, valueTest(values));
}

/** The earlier of two responses has this field, with one of the values if any are given: `showed('deleted', true)`. */
export function showed(
  place: FieldPath,
  ...values: readonly Json[]
): Condition<{ readonly before: Pick<Call, 'responseJson'> }> {
  return conditionAt(`before.${place}`, valueTest(values));
}

/** The response has at least this many elements in a list, by default one. Example: `lists('data', 2)`. */
export function lists(place: FieldPath, least = 1): Condition<WithResponse> {
  return conditionAt(`answer.${place}`, { at_least: least });
}

/** The response is complete JSON with a 2xx status. */
export const answered: Condition<WithCall> = conditionAt('outcome', 'answered');

/**
 * The request was accepted, or rejected for another reason than its path (404, 405, 501), its key or missing capacity.
 */
export const decided: Condition<WithCall> = conditionAt('outcome', 'decided');

/** Like `decided`, but a request that was rejected with 404, 405 or 501 counts as well. */
export const settled: Condition<WithCall> = conditionAt('outcome', 'settled');

/** The request is not a probe: its acceptance is not being tested. */
export const unprobed: Condition<WithCall> = conditionAt('probe', null);

/** The request was sent to test an id, in this place, that no object has. Example: `namesNothingIn('body.file_id')`. */
export function namesNothingIn(pointer: string): Condition<WithCall> {
  return conditionAt('probe', { names_nothing: pointer });
}

function valueTest(values: readonly Json[]): Test {
  return values.length === 0 ? { present: true } : { one_of: values };
}

function conditionAt<E>(place: string, test: Test): Condition<E> {
  return conditionOf(place, test) as Condition<Evidence | E> as Condition<E>; // as: it reads only named parts
}
