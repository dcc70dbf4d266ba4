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

/** Keywords that speak of objects alone. */
const OF_OBJECTS: ReadonlySet<string> = new Set(['properties', 'required']);
/** Names of properties that every service reads. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

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
  if (values !== undefined && (type !== 'string' || !isWordList(values))) return false;
  if (!isObject(properties) || !Object.keys(properties).every((name) => PLAIN_NAME.test(name))) return false;
  if (type !== 'object' && Object.keys(schema).some((keyword) => OF_OBJECTS.has(keyword))) return false;
  if (!Object.values(properties).every(isPlainSchema)) return false;
  if (!isNameList(required, properties)) return false;
  return type === 'array' ? items !== undefined && isPlainSchema(items) : items === undefined;
}

/** Whether each name is that of a property, and none is there twice. */
function isNameList(names: Json, properties: JsonObject): boolean {
  if (!Array.isArray(names) || new Set(names).size < names.length) return false;
  return names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name));
}

/** Whether a value is a list of texts that say something, each there once. */
function isWordList(value: Json): boolean {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false;
  return value.every((word) => typeof word === 'string' && word.trim() !== '');
}
