// Reads the schemas inside a conditional rule.

import type { JsonSchema } from '../../../schemas/index.ts';
import { isObject } from '../../../schemas/json.ts';

/** A schema and those in its properties and in its `allOf`, outermost first. */
export function* subschemas(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  // Items are left out: no conditional rule makes demands on elements of an array.
  const properties = isObject(schema['properties']) ? Object.values(schema['properties']) : [];
  for (const inner of [...properties, ...schemaList(schema['allOf'])])
    if (isObject(inner)) yield* subschemas(inner);
}

/** The schemas of an array; empty for any other value. */
export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
