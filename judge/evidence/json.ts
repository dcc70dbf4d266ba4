// Reads JSON of any shape without throwing: the values that are judged come from a target, so nothing about
// them can be assumed.
import { isJsonObject, type Json } from '../../schemas/json.ts';

/** The guard under the name that the suites use. */
export { isJsonObject as isObject, type JsonObject } from '../../schemas/json.ts';

/** The value at a path of keys and indexes; undefined where the path leads nowhere. Never throws: what is judged may have any shape. */
export function valueAtPath(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): Json | undefined {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here[step] : undefined;
    else here = isJsonObject(here) && Object.hasOwn(here, step) ? here[String(step)] : undefined;
  }
  return here;
}

/** The elements of the array at a path; empty if the value there is not an array. */
export function arrayAt(value: Json | undefined, ...path: readonly (string | number)[]): readonly Json[] {
  const found = valueAtPath(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The elements of an answered list with their places. */
export function listElements(
  answer: Json | undefined,
): readonly { readonly at: string; readonly value: Json }[] {
  return arrayAt(answer, 'data').map((value, i) => ({ at: `/data/${i}`, value }));
}

/** The text at a path; undefined for any other value. */
export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string | undefined {
  const found = valueAtPath(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The number at a path; undefined for any other value. */
export function numberAt(value: Json | undefined, ...path: readonly (string | number)[]): number | undefined {
  const found = valueAtPath(value, ...path);
  return typeof found === 'number' ? found : undefined;
}
