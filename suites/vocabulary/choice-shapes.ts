// Readers for `taken` of a choice: each returns the alternative that a response shows.
import type { Call } from '../../judge/trace/call.ts';
import { textAt } from '../../judge/trace/json.ts';
import type { AlternativeReader } from '../rows/choice-values.ts';
import { valueReader } from '../rows/places.ts';
import { compileShown, type Shown } from '../rows/shown.ts';
import type { FieldPath, WithCall, WithRequest, WithResponse } from './conditions.ts';

/** Two sequential calls about one object. */
type Succession = { readonly before: Call; readonly after: Call };

/**
 * Reads the outcome of a request: `done` if it was accepted, else `otherwise`. The selector must omit responses that
 * show neither. Example: `outcome('created')`.
 */
export function outcome(done: string, otherwise = 'refused'): AlternativeReader<WithCall> {
  return readerOf({ outcome: { accepted: done, otherwise } });
}

/** Like `outcome`, but null for a response that is not accepted, rejected or absent. Example: `refusal('kept')`. */
export function refusal(done: string): AlternativeReader<WithCall> {
  return readerOf({ outcome: { accepted: done, rejected_only: true } });
}

/**
 * Reads whether a field is `absent`, `null`, `empty` (a text, list or object without content) or `present`. Without
 * `empty`, an empty value is `present`. Example: `fieldState('name', 'another name', 'empty')`.
 */
export function fieldState(
  place: FieldPath,
  present: string,
  empty = present,
): AlternativeReader<WithResponse> {
  return readerOf({ state: { of: `answer.${place}`, present, empty } });
}

/** Reads whether a field with a number is `present`, `null` or `absent`. Example: `numberState('finished_at')`. */
export function numberState(place: FieldPath): AlternativeReader<WithResponse> {
  return fieldState(place, 'present');
}

/** Reads the text of a field; null if it is not a text. Example: `fieldValue('status')`. */
export function fieldValue(place: FieldPath): AlternativeReader<WithResponse> {
  const read = valueReader(`answer.${place}`);
  return (evidence) => textAt(read(evidence)) ?? null;
}

/** Reads the sorted field names of an object; null for any other value. Example: `fieldKeys('last_error')`. */
export function fieldKeys(place: FieldPath): AlternativeReader<WithResponse> {
  return readerOf({ keys: `answer.${place}` });
}

/** Reads how a field changes: `queued to running`; null if it stays the same. Example: `transition('status')`. */
export function transition(place: FieldPath): AlternativeReader<Succession> {
  return readerOf({ change: place });
}

/** Reads the value that follows `state` in a field, as in `follower('status', 'queued')`; null if none follows. */
export function follower(place: FieldPath, state: string): AlternativeReader<Succession> {
  return readerOf({ after: { of: place, value: state } });
}

/** Reads how a list is ordered by a numeric field; null if all values are equal. Example: `listOrder('created_at')`. */
export function listOrder(field: string): AlternativeReader<WithResponse> {
  return readerOf({ order: field });
}

/** Reads whether a field equals that of the request. Example: `echo('model', 'as requested', 'another name')`. */
export function echo(
  place: FieldPath,
  same: string,
  other: string,
): AlternativeReader<WithResponse & WithRequest> {
  return readerOf({
    cases: { [same]: { [`request.${place}`]: { same_as: `answer.${place}` } }, [other]: {} },
  });
}

function readerOf<E>(shown: Shown): AlternativeReader<E> {
  return compileShown(shown) as AlternativeReader<E>; // as: it reads only the parts that its places name
}
