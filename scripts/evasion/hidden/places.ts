// Places in JSON answers, and edits of all values at one of them.
import { isObject } from '../../../judge/trace/json.ts';
import type { Edit } from '../../../proof/mutations/values.ts';
import type { Json } from '../../../schemas/json.ts';

/** The steps to a value: names of properties, `*` for any element of a list and for names that callers choose. */
export type Place = readonly string[];

/** A value at a place: one of those that the place stands for. */
export interface PlacedValue {
  readonly place: Place;
  readonly value: Json;
}

/** How deep values are looked for. */
const DEPTH = 5;

/** The value itself and all that is in it. */
export function* valuesIn(value: Json, place: Place = []): Generator<PlacedValue> {
  yield { place, value };
  if (place.length >= DEPTH) return;
  if (Array.isArray(value)) {
    for (const element of value) yield* valuesIn(element, [...place, '*']);
    return;
  }
  if (!isObject(value)) return;
  const isFree = FREE.has(place.at(-1) ?? '');
  for (const [name, inner] of Object.entries(value)) yield* valuesIn(inner, [...place, isFree ? '*' : name]);
}

/** Objects whose properties are named by callers. */
const FREE: ReadonlySet<string> = new Set(['metadata', 'properties']);

/** The value with each one at a place changed; the very same value where nothing changes. */
export function changedAt(json: Json, [step, ...rest]: Place, change: Edit): Json {
  if (step === undefined) return change(json);
  if (Array.isArray(json)) {
    const elements = json.map((element) => changedAt(element, rest, change));
    return elements.every((one, i) => one === json[i]) ? json : elements;
  }
  if (!isObject(json)) return json;
  const members = Object.entries(json).map(([name, value]) => {
    const isMeant = step === '*' || step === name;
    return [name, isMeant ? changedAt(value, rest, change) : value] as const;
  });
  const before = Object.values(json);
  return members.every(([, value], i) => value === before[i]) ? json : Object.fromEntries(members);
}

/** A place as a JSON pointer with `*`. */
export function pointerPattern(place: Place): string {
  return place.length === 0 ? '/' : place.map((step) => `/${step.replaceAll('/', '~1')}`).join('');
}
