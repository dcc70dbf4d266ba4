import type { Json } from '../../exchange/http/body.ts';
import { isJsonObject, type JsonObject } from '../../schemas/json.ts';

/** Indices of two elements that correspond. */
export type ElementPair = readonly [recorded: number, now: number];

/** The members of an object; none for other values. */
export function fieldsOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Which elements of two lists correspond: those of one id, and the others by their order. Where the number is the same and
 * the times of the elements decide their order, each corresponds to the one in its place.
 */
export function pairElements(
  recorded: readonly Json[],
  now: readonly Json[],
  currentId: (id: string) => string,
): readonly ElementPair[] {
  const places = new Map(now.map((element, i) => [fieldsOf(element)['id'], i]));
  const paired =
    isOrdered(recorded) && recorded.length === now.length ? [] : pairsById(recorded, places, currentId);
  const [left, right] = [new Set(paired.map(([i]) => i)), new Set(paired.map(([, i]) => i))];
  const rest = [...now.keys()].filter((i) => !right.has(i));
  const others = [...recorded.keys()]
    .filter((i) => !left.has(i))
    .flatMap((i, k): ElementPair[] => {
      const other = rest[k];
      return other === undefined ? [] : [[i, other]];
    });
  return [...paired, ...others];
}

function pairsById(
  recorded: readonly Json[],
  places: ReadonlyMap<Json | undefined, number>,
  currentId: (id: string) => string,
): readonly ElementPair[] {
  return recorded.flatMap((element, i): ElementPair[] => {
    const { id } = fieldsOf(element);
    const place = typeof id === 'string' ? places.get(currentId(id)) : undefined;
    return place === undefined ? [] : [[i, place]];
  });
}

/** Whether no two elements were created in the same second: their order is up to the service otherwise. */
function isOrdered(elements: readonly Json[]): boolean {
  const times = elements.map((element) => fieldsOf(element)['created_at']);
  return times.every((time) => typeof time === 'number') && new Set(times).size === times.length;
}
