import type { Json } from '../../exchange/http/body.ts';

/** What a JSON object is when it is known to be one. */
export type JsonObject = { readonly [key: string]: Json };

/** The value at a path of keys and indexes; undefined where the path leads nowhere. Never throws: what is judged may have any shape. */
export function valueAtPath(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): Json | undefined {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here[step] : undefined;
    else here = isObject(here) && Object.hasOwn(here, step) ? here[String(step)] : undefined;
  }
  return here;
}

/** The elements of an array at a path; none where there is no array. */
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

/** The text at a path; undefined where there is none. */
export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string | undefined {
  const found = valueAtPath(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: Json | undefined, ...path: readonly (string | number)[]): number | undefined {
  const found = valueAtPath(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
