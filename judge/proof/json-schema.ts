import type { JsonSchema } from '../../schemas/index.ts';

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema and those in its properties and in its `allOf`. */
export function* schemasIn(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  const properties = isSchema(schema['properties']) ? Object.values(schema['properties']) : [];
  for (const inner of [...properties, ...schemaList(schema['allOf'])])
    if (isSchema(inner)) yield* schemasIn(inner);
}

export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}
