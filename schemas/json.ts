export type JsonObject = { readonly [key: string]: Json };
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** Whether a value is an object, but neither null nor a list. */
export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value that was parsed from JSON is an object, whose members are then JSON as well. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** Like `Array.isArray`, which does not narrow read-only lists. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a value is an object or a list, which may contain further values. */
export function isJsonBranch(value: Json | undefined): value is readonly Json[] | JsonObject {
  return typeof value === 'object' && value !== null;
}

export function sortKeys(value: Json): Json {
  if (!isJsonBranch(value)) return value;
  if (isJsonList(value)) return value.map(sortKeys);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sortKeys(member)]),
  );
}

export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // as: JSON.parse returns JSON values
  } catch {
    return undefined;
  }
}
