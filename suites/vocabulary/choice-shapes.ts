// Shapes of choices: how the alternative that a target takes is read from evidence. Each gives the `taken` of a choice.
import type { Json } from '../../exchange/http/body.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { deepEqual } from '../../judge/schema/json-kinds.ts';
import type { Call } from '../../judge/trace/call.ts';

/** Evidence with one response to read: its JSON, or the call that has it. */
type Answered = { readonly answer: Json } | { readonly call: Call } | { readonly after: Call };

/** Evidence with one call whose outcome is known: the only one, or the later of two. */
type Decided = { readonly call: Call } | { readonly after: Call };

/** Two calls about one object, one after the other. */
type Succession = { readonly before: Call; readonly after: Call };

/** The JSON of a request and of its response. */
type Echo = { readonly asked: Json | undefined; readonly answer: Json };

/** The alternative that evidence shows; null if it shows none. */
type Taken<E> = (evidence: E) => string | null;

/** A place in a response: the name of a field, or several with a dot between them. */
type Place = string;

/**
 * Whether a request is carried out: `done` if it was accepted, else `otherwise`. The selector leaves out what shows neither.
 * Example: `outcome('created')`.
 */
export function outcome(done: string, otherwise = 'refused'): Taken<Decided> {
  return (evidence) => (callOf(evidence).responseClass === 'accepted' ? done : otherwise);
}

/** As `outcome`, with null for every response but 2xx and a rejection. Example: `refusal('kept')`. */
export function refusal(done: string): Taken<Decided> {
  return (evidence) => {
    const { responseClass } = callOf(evidence);
    if (responseClass === 'accepted') return done;
    return responseClass === 'rejected' ? 'refused' : null;
  };
}

/**
 * How a field reads: `absent`, `null`, `empty` for a text, list or object without content, else `present`. A value counts
 * as `present`, too, if `empty` is not given. Example: `fieldState('name', 'another name', 'empty')`.
 */
export function fieldState(place: Place, present: string, empty = present): Taken<Answered> {
  return (evidence) => stateOf(at(answerOf(evidence), place), present, empty);
}

/** As `fieldState`, of a value. */
export function stateOf(value: Json | undefined, present: string, empty = present): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return value === '' || deepEqual(value, {}) || deepEqual(value, []) ? empty : present;
}

/** Whether a field has a number: `present`, `null` or `absent`. Example: `numberState('finished_at')`. */
export function numberState(place: Place): Taken<Answered> {
  return fieldState(place, 'present');
}

/** The text of a field itself; null where it is not a text. Example: `fieldValue('status')`. */
export function fieldValue(place: Place): Taken<Answered> {
  return (evidence) => textAt(answerOf(evidence), ...place.split('.')) ?? null;
}

/** The names of the fields of an object, sorted; null where there is none. Example: `fieldKeys('last_error')`. */
export function fieldKeys(place: Place): Taken<Answered> {
  return (evidence) => keysOf(at(answerOf(evidence), place));
}

/** As `fieldKeys`, of a value; without the names that are left out. */
export function keysOf(value: Json | undefined, ...without: readonly string[]): string | null {
  if (!isObject(value)) return null;
  return Object.keys(value)
    .filter((name) => !without.includes(name))
    .toSorted()
    .join(', ');
}

/** The change of a field from one response to a later one: `queued to running`; null if it is the same. Example: `transition('status')`. */
export function transition(place: Place): Taken<Succession> {
  return ({ before, after }) => {
    const [from, to] = [before, after].map(({ responseJson }) => textAt(responseJson, ...place.split('.')));
    return from === undefined || to === undefined || from === to ? null : `${from} to ${to}`;
  };
}

/** The value that a field takes after another one; null if it stays. Example: `follower('status', 'queued')`. */
export function follower(place: Place, state: string): Taken<Succession> {
  const change = transition(place);
  return (pair) => {
    const [from, to] = change(pair)?.split(' to ') ?? [];
    return from === state && to !== undefined ? to : null;
  };
}

/** The order of the elements of a list by a time or another number; null if all have the same. Example: `listOrder('created_at')`. */
export function listOrder(field: string): Taken<Answered> {
  return (evidence) => {
    const data = valueAtPath(answerOf(evidence), 'data');
    const times = (Array.isArray(data) ? data : []).map((one) => numberAt(one, field) ?? 0);
    const isSorted = (sign: 1 | -1): boolean =>
      times.every((time, i) => i === 0 || sign * ((times[i - 1] ?? 0) - time) <= 0);
    if (times.every((time) => time === times[0])) return null;
    return isSorted(-1) ? 'newest first' : isSorted(1) ? 'oldest first' : 'neither';
  };
}

/** Whether a total is the sum of other numbers of the same object; null where one of them is missing. */
export function sumState(value: Json | undefined, total: string, parts: readonly string[]): string | null {
  const numbers = parts.map((part) => numberAt(value, part));
  if (numbers.includes(undefined)) return null;
  const all = numbers.reduce((sofar: number, one) => sofar + (one ?? 0), 0);
  return numberAt(value, total) === all ? 'the sum' : 'another number';
}

/** Whether a field of the response is that of the request. Example: `echo('model', 'as requested', 'another name')`. */
export function echo(field: string, same: string, other: string): Taken<Echo> {
  return ({ asked, answer }) => (valueAtPath(asked, field) === valueAtPath(answer, field) ? same : other);
}

/** Whether values are all equal; null where there are fewer than two. */
export function equality(values: readonly unknown[], same: string, other: string): string | null {
  if (values.length < 2) return null;
  return new Set(values.map((one) => JSON.stringify(one))).size === 1 ? same : other;
}

function callOf(evidence: Decided): Call {
  return 'after' in evidence ? evidence.after : evidence.call;
}

function answerOf(evidence: Answered): Json | undefined {
  return 'answer' in evidence ? evidence.answer : callOf(evidence).responseJson;
}

function at(answer: Json | undefined, place: Place): Json | undefined {
  return valueAtPath(answer, ...place.split('.'));
}
