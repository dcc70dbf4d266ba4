// Shapes of choices: how the alternative that a target takes is read from a response. Each function returns the `taken` of a
// choice, and has the same meaning as the word of a row.
import type { Call } from '../../judge/trace/call.ts';
import { textAt } from '../../judge/trace/json.ts';
import type { Json } from '../../schemas/json.ts';
import type { AlternativeName } from '../rows/choice-values.ts';
import { valueReader } from '../rows/places.ts';
import { type ReadAlternative, type Shown, shape } from '../rows/rows.ts';

/** Evidence with one response to read: its JSON, or the call that has it. */
type Answered = { readonly answer: Json } | { readonly call: Call } | { readonly after: Call };

/** Evidence with one call whose outcome is known: the only one, or the later of two. */
type Decided = { readonly call: Call } | { readonly after: Call };

/** Two sequential calls about one object. */
type Succession = { readonly before: Call; readonly after: Call };

/** The alternative that evidence shows; null if it shows none. */
type Taken<E> = (evidence: E) => AlternativeName;

/** A place in a response: the name of a field, or several separated by dots. */
type Place = string;

/**
 * The outcome of a request: `done` if it was accepted, else `otherwise`. The selector omits responses that show neither.
 * Example: `outcome('created')`.
 */
export function outcome(done: string, otherwise = 'refused'): Taken<Decided> {
  return readerOfShown({ outcome: { accepted: done, otherwise } });
}

/** Like `outcome`, with null for every response other than a 2xx or a refusal. Example: `refusal('kept')`. */
export function refusal(done: string): Taken<Decided> {
  return readerOfShown({ outcome: { accepted: done, rejected_only: true } });
}

/**
 * How a field reads: `absent`, `null`, `empty` for a text, list or object without content, else `present`. An empty value is
 * read as `present` if `empty` is not given. Example: `fieldState('name', 'another name', 'empty')`.
 */
export function fieldState(place: Place, present: string, empty = present): Taken<Answered> {
  return readerOfShown({ state: { of: `answer.${place}`, present, empty } });
}

/** How a field with a number reads: `present`, `null` or `absent`. Example: `numberState('finished_at')`. */
export function numberState(place: Place): Taken<Answered> {
  return fieldState(place, 'present');
}

/** The text of a field; null if it is not a text. Example: `fieldValue('status')`. */
export function fieldValue(place: Place): Taken<Answered> {
  const read = valueReader(`answer.${place}`);
  return (evidence) => textAt(read(evidence)) ?? null;
}

/** The names of the fields of an object, sorted; null if there is none. Example: `fieldKeys('last_error')`. */
export function fieldKeys(place: Place): Taken<Answered> {
  return readerOfShown({ keys: `answer.${place}` });
}

/** The change of a field from one response to a later one: `queued to running`; null if it is the same. Example: `transition('status')`. */
export function transition(place: Place): Taken<Succession> {
  return readerOfShown({ change: place });
}

/** The value that follows another value of a field; null if it stays the same. Example: `follower('status', 'queued')`. */
export function follower(place: Place, state: string): Taken<Succession> {
  return readerOfShown({ after: { of: place, value: state } });
}

/** The order of the elements of a list by a time or another number; null if all have the same. Example: `listOrder('created_at')`. */
export function listOrder(field: string): Taken<Answered> {
  return readerOfShown({ order: field });
}

/** Compares a field of the response with that of the request. Example: `echo('model', 'as requested', 'another name')`. */
export function echo(
  place: Place,
  same: string,
  other: string,
): Taken<Answered & { readonly asked: Json | undefined }> {
  return readerOfShown({
    cases: { [same]: { [`request.${place}`]: { same_as: `answer.${place}` } }, [other]: {} },
  });
}

function readerOfShown<E>(shown: Shown): Taken<E> {
  return shape(shown) as ReadAlternative as Taken<E>; // as: it reads only the parts that its places name
}
