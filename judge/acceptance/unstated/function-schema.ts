import type { Json, JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';

/** Types that a value of a plain schema has. */
const TYPES: readonly Json[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Keywords of a plain schema. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'enum',
  'properties',
  'required',
  'items',
]);

/**
 * Whether the parameters of a function are described as in every example of the field: an object with named properties, each of one
 * type. Services read other schemas in different dialects, and the specification names none.
 */
export function isPlainParameters(parameters: Json): boolean {
  return isObject(parameters) && parameters['type'] === 'object' && isPlainSchema(parameters);
}

/** Whether a schema has keywords of the examples alone, each in its usual form. */
function isPlainSchema(schema: Json): boolean {
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => KEYWORDS.has(keyword))) return false;
  const { type, description = '', enum: values, properties = {}, required = [], items } = schema;
  if (type === undefined || !TYPES.includes(type) || typeof description !== 'string') return false;
  if (values !== undefined && !isList(values, (value) => typeof value === 'string')) return false;
  if (!isObject(properties) || !Object.values(properties).every(isPlainSchema)) return false;
  if (!isNameList(required, properties)) return false;
  return type === 'array' ? items !== undefined && isPlainSchema(items) : items === undefined;
}

/** Whether each name is that of a property, and none is there twice. */
function isNameList(names: Json, properties: JsonObject): boolean {
  if (!Array.isArray(names) || new Set(names).size < names.length) return false;
  return names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name));
}

/** Whether a value is a list with elements, all of a kind. */
function isList(value: Json, holds: (element: Json) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(holds);
}
