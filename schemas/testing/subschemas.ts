import { type JsonSchema, resolveRef } from '../index.ts';
import { isObject } from '../json.ts';

const SCHEMA_MAPS = ['properties', '$defs'];
const SCHEMA_KEYWORDS = [
  'items',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'oneOf',
  'allOf',
  'anyOf',
];

export function subschemasOf(schema: JsonSchema): readonly JsonSchema[] {
  const maps = SCHEMA_MAPS.flatMap((keyword) => Object.values(Object(schema[keyword])));
  const nested = SCHEMA_KEYWORDS.flatMap((keyword) => schema[keyword] ?? []);
  return [schema, ...[...maps, ...nested].filter(isObject).flatMap(subschemasOf)];
}

export function resolveSchema(name: string, part: JsonSchema): JsonSchema {
  const { $ref } = part;
  if (typeof $ref !== 'string') return part;
  const target = resolveRef(name, $ref);
  return resolveSchema(target.name, target.schema);
}
