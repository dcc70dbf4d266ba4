// Type guards of JSON values.
import type { Json } from './body.ts';

/** Whether a value is an array or an object. */
export function isJsonBranch(
  value: Json | undefined,
): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object; arrays are not. */
export function isJsonObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return isJsonBranch(value) && !Array.isArray(value);
}
