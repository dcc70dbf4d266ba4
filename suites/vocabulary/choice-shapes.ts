// Shapes of choices: how the alternative that a target takes is read from a response. Each gives the `taken` of a choice.
import type { Json } from '../../exchange/http/body.ts';
import type { Call } from '../../judge/trace/call.ts';
import { numberAt, textAt, valueAtPath } from '../../judge/trace/json.ts';
import { type AlternativeName, keysOf, stateOf } from './choice-values.ts';

/** Evidence with one response to read: its JSON, or the call that has it. */
type Answered = { readonly answer: Json } | { readonly call: Call } | { readonly after: Call };

/** Evidence with one call whose outcome is known: the only one, or the later of two. */
type Decided = { readonly call: Call } | { readonly after: Call };

/** Two calls about one object, one after the other. */
type Succession = { readonly before: Call; readonly after: Call };

/** A response to read, and the JSON of its request. */
type Echo = { readonly asked: Json | undefined } & Answered;

/** The alternative that evidence shows; null if it shows none. */
type Taken<E> = (evidence: E) => AlternativeName;

/** A place in a response: the name of a field, or several with a dot between them. */
type Place = string;

/** A service may refuse with 404 as well: the specification leaves the status open. */
const REFUSALS: readonly Call['responseClass'][] = ['rejected', 'absent'];

/**
 * Whether a request is carried out: `done` if it was accepted, else `otherwise`. The selector leaves out what shows neither.
 * Example: `outcome('created')`.
 */
export function outcome(done: string, otherwise = 'refused'): Taken<Decided> {
  return (evidence) => (callOf(evidence).responseClass === 'accepted' ? done : otherwise);
}

/** As `outcome`, with null for every response but 2xx and a refusal. Example: `refusal('kept')`. */
export function refusal(done: string): Taken<Decided> {
  return (evidence) => {
    const { responseClass } = callOf(evidence);
    if (responseClass === 'accepted') return done;
    return REFUSALS.includes(responseClass) ? 'refused' : null;
  };
}

/** As `refusal`, with what the JSON of an accepted response shows. Example: `refusedOr(fieldValue('status'))`. */
export function refusedOr<E>(read: Taken<E>): Taken<E & Decided> {
  return (evidence) => {
    const { responseClass, responseJson } = callOf(evidence);
    if (REFUSALS.includes(responseClass)) return 'refused';
    return responseJson === undefined ? null : read(evidence);
  };
}

/**
 * How a field reads: `absent`, `null`, `empty` for a text, list or object without content, else `present`. A value counts
 * as `present`, too, if `empty` is not given. Example: `fieldState('name', 'another name', 'empty')`.
 */
export function fieldState(place: Place, present: string, empty = present): Taken<Answered> {
  return (evidence) => stateOf(at(answerOf(evidence), place), present, empty);
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

/** Whether a field of the response is that of the request. Example: `echo('model', 'as requested', 'another name')`. */
export function echo(place: Place, same: string, other: string): Taken<Echo> {
  return (evidence) => (at(evidence.asked, place) === at(answerOf(evidence), place) ? same : other);
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
