import { pointerTokens } from '../../schemas/pointer.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../http/json.ts';

/** Copies a value by a round trip through JSON, so that a change never reaches the stored object. */
export function cloneJson(value: unknown): Json {
  // as: JSON.parse returns JSON
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

export function dropFields<V>(
  object: Readonly<Record<string, V>>,
  names: readonly string[],
): Readonly<Record<string, V>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function elementsOf(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}

/** Computes the replacement of a value; undefined removes a member or an element. */
export type ValueChange = (old: Json | undefined) => Json | undefined;

/**
 * Returns the JSON value that results from a change at a JSON pointer; the argument stays as it is. `*` selects every
 * element of an array, `-1` the last one. The last token may name a new property; a pointer through a missing property
 * changes nothing.
 */
export function setAtPointer(value: Json, pointer: string, change: ValueChange | Json): Json {
  const compute = typeof change === 'function' ? change : () => change;
  return changeAlong(value, pointerTokens(pointer), compute) ?? null;
}

function changeAlong(
  here: Json | undefined,
  steps: readonly string[],
  change: ValueChange,
): Json | undefined {
  const [step, ...laterSteps] = steps;
  if (step === undefined) return change(here);
  if (isJsonList(here)) {
    const index = step === '-1' ? here.length - 1 : Number(step);
    return here.flatMap((item, i) => {
      const changed = step === '*' || i === index ? changeAlong(item, laterSteps, change) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(here) || (laterSteps.length > 0 && here[step] === undefined)) return here;
  const changed = changeAlong(here[step], laterSteps, change);
  if (changed === undefined) return dropFields(here, [step]);
  return here[step] === undefined
    ? { ...here, [step]: changed }
    : Object.fromEntries(Object.entries(here).map(([key, old]) => [key, key === step ? changed : old]));
}
