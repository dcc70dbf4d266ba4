import { valueAtPointer } from '../../schemas/pointer.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';

/** Maximum depth of a schema, where `$ref`, `oneOf`, `anyOf` and `allOf` count as levels; ends recursive schemas. */
const MAX_DEPTH = 6;
/** Maximum number of characters to which a text is padded, whatever its `minLength`. */
const MAX_PADDED_LENGTH = 10_000;
/** Maximum length in characters of a text whose schema states no `maxLength`, unless `minLength` is greater. */
const DEFAULT_MAX_LENGTH = 200;
const MAX_ITEMS = 100;
/** Number of values and characters after which every value is null, because nested arrays multiply them. */
const MAX_SIZE = 100_000;

const EXAMPLES_BY_FORMAT: ReadonlyMap<unknown, string> = new Map([
  ['date', '2024-01-01'],
  ['date-time', '2024-01-01T00:00:00Z'],
  ['time', '00:00:00Z'],
  ['email', 'someone@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['ipv4', '192.0.2.1'],
]);

interface Context {
  readonly root: JsonObject;
  readonly topic: string;
  /** Number of values and characters so far. */
  size: number;
}

/**
 * Makes arguments from the schema of the parameters. Strings without a known format get the text `topic` or, if that is
 * empty, the name of their property. Strings are padded or cut to their length limits. `pattern` is ignored.
 */
export function makeArguments(parameters: JsonObject, topic: string): JsonObject {
  const value = makeValue(parameters, { root: parameters, topic, size: 0 }, 'value', 0);
  return isJsonObject(value) ? value : {};
}

function makeValue(schema: Json | undefined, context: Context, name: string, depth: number): Json {
  context.size += 1;
  if (!isJsonObject(schema) || depth > MAX_DEPTH || context.size > MAX_SIZE) return null;
  // Only a constant or listed value can be valid, whatever the other keywords state.
  if ('const' in schema) return schema['const'] ?? null;
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  const inner = resolve(schema, context);
  if (inner !== schema) return makeValue(inner, context, name, depth + 1);
  if ('default' in schema) return schema['default'] ?? null;
  switch (typeOf(schema)) {
    case 'string':
      return makeText(schema, context, name);
    case 'integer':
    case 'number':
      return makeNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return makeArray(schema, context, name, depth);
    case 'null':
      return null;
    default:
      return makeObject(schema, context, depth);
  }
}

function resolve(schema: JsonObject, context: Context): Json | undefined {
  const { $ref, ...siblings } = schema;
  if (typeof $ref === 'string') {
    const target = dereference(schema, context);
    return isJsonObject(target) ? merge([siblings, target]) : target;
  }
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const { [keyword]: _, ...ownKeywords } = schema;
    const parts = branches.map((branch) => dereference(branch, context)).filter(isJsonObject);
    return merge([ownKeywords, ...(keyword === 'allOf' ? parts : parts.slice(0, 1))]);
  }
  return schema;
}

/** Follows one reference, if the schema has one; returns undefined unless it is a pointer that leads somewhere. */
function dereference(schema: Json, { root }: Context): Json | undefined {
  const ref = isJsonObject(schema) ? schema['$ref'] : undefined;
  if (typeof ref !== 'string') return schema;
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  return valueAtPointer(root, ref.slice(1)) as Json | undefined; // as: a part of JSON
}

function merge(schemas: readonly JsonObject[]): JsonObject {
  const properties = schemas.flatMap((part) =>
    isJsonObject(part['properties']) ? Object.entries(part['properties']) : [],
  );
  const required = schemas.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []));
  return { ...Object.assign({}, ...schemas), properties: Object.fromEntries(properties), required };
}

/** Returns the first type, preferably not null; without `type`, `array` if `items` is present, otherwise `object`. */
function typeOf(schema: JsonObject): string {
  const types = [schema['type'] ?? []].flat().filter((type) => typeof type === 'string');
  const preferred = types.find((type) => type !== 'null') ?? types[0];
  if (preferred !== undefined) return preferred;
  return 'items' in schema ? 'array' : 'object';
}

function makeText(schema: JsonObject, context: Context, name: string): string {
  const { topic } = context;
  const example = EXAMPLES_BY_FORMAT.get(schema['format']);
  // Lengths count characters, not UTF-16 units.
  const characters = [...(example ?? (topic === '' ? name : topic))];
  const minLength = Math.min(numberOr(schema['minLength'], 0), MAX_PADDED_LENGTH);
  const padding = '.'.repeat(Math.max(0, minLength - characters.length));
  const maxLength = numberOr(schema['maxLength'], Math.max(DEFAULT_MAX_LENGTH, minLength));
  const text = [...characters, ...padding].slice(0, maxLength);
  context.size += text.length;
  return text.join('');
}

/** Returns 1, or a permitted number near it: a multiple of the step (default 1) if there is one between the limits. */
function makeNumber(schema: JsonObject): number {
  const isInteger = typeOf(schema) === 'integer';
  const multipleOf = numberOr(schema['multipleOf'], 1) || 1;
  const step = isInteger && Number.isInteger(1 / multipleOf) ? 1 : multipleOf;
  const above = numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY);
  const below = numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY);
  const min = Math.max(above, numberOr(schema['minimum'], above));
  const max = Math.min(below, numberOr(schema['maximum'], below));
  const nearest = Math.min(Math.max(1, min), max);
  const multiple = Math.ceil(nearest / step) * step;
  const candidates = [multiple, multiple + step, multiple - step, nearest, (min + max) / 2];
  const isPermitted = (n: number): boolean =>
    n >= min && n <= max && n !== above && n !== below && (!isInteger || Number.isInteger(n));
  return candidates.find(isPermitted) ?? nearest;
}

/** Makes an array of `minItems` elements: at least one for a client to read, at most 100, and at most `maxItems`. */
function makeArray(schema: JsonObject, context: Context, name: string, depth: number): Json {
  const minItems = Math.max(1, numberOr(schema['minItems'], 1));
  const length = Math.min(minItems, numberOr(schema['maxItems'], MAX_ITEMS), MAX_ITEMS);
  return Array.from({ length }, () =>
    makeValue(schema['items'] ?? { type: 'string' }, context, name, depth + 1),
  );
}

/** Makes an object with all properties at depth 0, and with only the required ones below it. */
function makeObject(schema: JsonObject, context: Context, depth: number): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const included = Object.entries(properties).filter(([key]) => required.has(key) || depth === 0);
  return Object.fromEntries(included.map(([key, value]) => [key, makeValue(value, context, key, depth + 1)]));
}

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
