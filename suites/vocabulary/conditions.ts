// Conditions on evidence, for `where`: which requests and responses a statement is about. Several of them hold together.
import type { Json } from '../../exchange/http/body.ts';
import { that } from '../../judge/evidence/calls.ts';
import type { NeededCondition } from '../../judge/requirements/needed.ts';
import type { Condition } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import { arrayAt, deepEqual, isObject, numberAt, textAt, valueAtPath } from '../../judge/trace/json.ts';

/** Evidence with the JSON of a request. */
type Asked = { readonly asked: Json | undefined };

/** Evidence with one call: the only one, or the later of two. */
type Called = { readonly call: Call } | { readonly after: Call };

/** Evidence with an earlier call before the one that it is about. */
type Preceded = { readonly before: Pick<Call, 'responseJson'> };

/** Evidence with one response to read: its JSON, or the call that has it. */
type Answered = { readonly answer: Json } | Called;

/** The name of a field, or several with a dot between them. */
type Place = string;

/** The request has this field, with one of the values where some are given. Example: `asks('tool_choice.type', 'function')`. */
export function asks(place: Place, ...values: readonly Json[]): Condition<Asked> {
  const holds = having(place, values);
  return needing(field('request', place, values), ({ asked }) => holds(asked));
}

/** The request has a text in this field. Example: `asksText('content')`. */
export function asksText(place: Place): Condition<Asked> {
  const path = place.split('.');
  return that(`whose request has a text as ${place}`, ({ asked }) => textAt(asked, ...path) !== undefined);
}

/** The request has a number in this field. Example: `asksNumber('max_tokens')`. */
export function asksNumber(place: Place): Condition<Asked> {
  const path = place.split('.');
  return that(
    `whose request has a number as ${place}`,
    ({ asked }) => numberAt(asked, ...path) !== undefined,
  );
}

/** The request has a list in this field, with at least one element. Example: `asksList('integrations')`. */
export function asksList(place: Place): Condition<Asked> {
  const path = place.split('.');
  return that(`whose request lists ${place}`, ({ asked }) => arrayAt(asked, ...path).length > 0);
}

/** A condition on the JSON of a request, as one on evidence. Example: `ofRequest(that('whose request names a file', namesFile))`. */
export function ofRequest(asks: Condition<Json | undefined>): Condition<Asked> {
  const holds = ({ asked }: Asked): boolean => asks(asked);
  return asks.needs === undefined ? holds : needing(asks.needs, holds);
}

/** The request sets this field: it has a value there, and not null. Example: `sets('tool_resources')`. */
export function sets(place: Place): Condition<Asked> {
  const path = place.split('.');
  return that(`whose request sets ${place}`, ({ asked }) => (valueAtPath(asked, ...path) ?? null) !== null);
}

/** The request does not set this field: it has none, or null. Example: `unset('name')`. */
export function unset(place: Place): Condition<Asked> {
  const path = place.split('.');
  const needs = { kind: 'field', of: 'request', field: place, is: 'nil' } as const;
  return needing(needs, ({ asked }) => (valueAtPath(asked, ...path) ?? null) === null);
}

/** The request does not have this field, not even as null. Example: `leavesOut('tool_resources')`. */
export function leavesOut(place: Place): Condition<Asked> {
  const path = place.split('.');
  const needs = { kind: 'field', of: 'request', field: place, is: 'absent' } as const;
  return needing(needs, ({ asked }) => valueAtPath(asked, ...path) === undefined);
}

/** The response has this field, with one of the values where some are given. Example: `shows('status', 'failed')`. */
export function shows(place: Place, ...values: readonly Json[]): Condition<Answered> {
  const holds = having(place, values);
  return needing(field('answer', place, values), (evidence) => holds(answerOf(evidence)));
}

/** The response has a text in this field. Example: `showsText('fine_tuned_model')`. */
export function showsText(place: Place): Condition<Answered> {
  const path = place.split('.');
  return that(`with a text as ${place}`, (evidence) => textAt(answerOf(evidence), ...path) !== undefined);
}

/** The response has an object in this field. Example: `showsObject('expires_after')`. */
export function showsObject(place: Place): Condition<Answered> {
  const path = place.split('.');
  const needs = { kind: 'field', of: 'answer', field: place, is: 'present', types: ['object'] } as const;
  return needing(needs, (evidence) => isObject(valueAtPath(answerOf(evidence), ...path)));
}

/** As `shows`, of the earlier of two responses. Example: `showed('deleted', true)`. */
export function showed(place: Place, ...values: readonly Json[]): Condition<Preceded> {
  const holds = having(place, values);
  return needing(field('earlier-answer', place, values), ({ before }) => holds(before.responseJson));
}

/** The response has at least so many elements in a list: one, unless given. Example: `lists('data', 2)`. */
export function lists(place: Place, least = 1): Condition<Answered> {
  const path = place.split('.');
  const needs = { kind: 'list', field: place, least } as const;
  return needing(needs, (evidence) => arrayAt(answerOf(evidence), ...path).length >= least);
}

/** The response is whole JSON with a status of 2xx. */
export const answered: Condition<Called> = needing(
  { kind: 'outcome', outcome: 'answered' },
  (evidence) => callOf(evidence).responseJson !== undefined,
);

/** The request was carried out or rejected, not by 404, which may mean that the path is not served. */
export const decided: Condition<Called> = needing({ kind: 'outcome', outcome: 'decided' }, (evidence) =>
  ['accepted', 'rejected'].includes(callOf(evidence).responseClass),
);

/** The request was carried out or refused: a 5xx, a reset or missing capacity shows neither. */
export const settled: Condition<Called> = needing({ kind: 'outcome', outcome: 'settled' }, (evidence) =>
  ['accepted', 'rejected', 'absent'].includes(callOf(evidence).responseClass),
);

/** The request was not sent to learn whether it is accepted. */
export const unprobed: Condition<Called> = needing(
  { kind: 'sent', unknown: null },
  (evidence) => callOf(evidence).exchange.probe === null,
);

/** The request was not sent as an invalid one, to learn whether it is rejected. */
export const sentValid: Condition<Called> = that(
  'that is not sent as an invalid one',
  (evidence) => callOf(evidence).exchange.probe?.side !== 'violation',
);

/** The request was sent to learn what becomes of an id, in this place, that no object has. Example: `namesNothingIn('body.file_id')`. */
export function namesNothingIn(pointer: string): Condition<Called> {
  return needing({ kind: 'sent', unknown: pointer }, (evidence) => {
    const { probe } = callOf(evidence).exchange;
    return probe?.pointer === pointer && probe.keyword === 'unknown';
  });
}

/** A condition with what it says in reports. */
function needing<E>(needs: NeededCondition, holds: (evidence: E) => boolean): Condition<E> {
  return Object.assign(holds, { needs });
}

/** That a request or an answer has a field, with one of the values where some are given. */
function field(
  of: 'request' | 'answer' | 'earlier-answer',
  place: Place,
  values: readonly Json[],
): NeededCondition {
  return { kind: 'field', of, field: place, is: 'present', ...(values.length > 0 && { values }) };
}

/** Whether JSON has a field, with one of the values where some are given. */
function having(place: Place, values: readonly Json[]): (json: Json | undefined) => boolean {
  // Split once: the condition is asked of each piece of evidence.
  const path = place.split('.');
  return (json) => {
    const value = valueAtPath(json, ...path);
    return value !== undefined && (values.length === 0 || values.some((one) => deepEqual(one, value)));
  };
}

function callOf(evidence: Called): Call {
  return 'after' in evidence ? evidence.after : evidence.call;
}

function answerOf(evidence: Answered): Json | undefined {
  return 'answer' in evidence ? evidence.answer : callOf(evidence).responseJson;
}
