import type { Json } from '../../exchange/http/body.ts';
import { isJsonObject, type JsonObject } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';

export type ElementPair = readonly [recorded: number, current: number];

export function fieldsOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Pairs by position if the lists are equally long and the recorded times are distinct; else by id, then in order. */
export function pairElements(
  recorded: readonly Json[],
  current: readonly Json[],
  currentId: (id: string) => string,
): readonly ElementPair[] {
  const isPairedByIndex = recorded.length === current.length && hasDistinctTimes(recorded);
  const places = new Map<Json | undefined, number[]>();
  for (const [i, element] of current.entries()) getOrMake(places, fieldsOf(element)['id'], () => []).push(i);
  const pairs = recorded.flatMap((element, i): ElementPair[] => {
    const { id } = fieldsOf(element);
    const place = !isPairedByIndex && typeof id === 'string' ? places.get(currentId(id))?.shift() : undefined;
    return place === undefined ? [] : [[i, place]];
  });
  const [pairedRecorded, pairedCurrent] = [new Set(pairs.map(([i]) => i)), new Set(pairs.map(([, i]) => i))];
  const unpairedCurrent = [...current.keys()].filter((i) => !pairedCurrent.has(i));
  const inOrder = [...recorded.keys()]
    .filter((i) => !pairedRecorded.has(i))
    .slice(0, unpairedCurrent.length)
    .map((i, k): ElementPair => [i, unpairedCurrent[k] ?? 0]);
  return [...pairs, ...inOrder];
}

/** The service may order elements that were created in the same second freely. */
function hasDistinctTimes(elements: readonly Json[]): boolean {
  const times = elements.map((element) => fieldsOf(element)['created_at']);
  return times.every((time) => typeof time === 'number') && new Set(times).size === times.length;
}
