import { pointerTokens } from '../../schemas/pointer.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';

/** Maximum depth of a schema, counting references and unions; ends recursive schemas. */
const MAX_DEPTH = 6;
/** Maximum number of characters to which a text is padded, whatever its `minLength`. */
const MAX_PADDED_LENGTH = 10_000;
/** Maximum length in characters of a text whose schema states no `maxLength`, unless `minLength` is greater. */
const DEFAULT_MAX_LENGTH = 200;
const MAX_ITEMS = 100;

const EXAMPLES_BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2024-01-01',
  'date-time': '2024-01-01T00:00:00Z',
  time: '00:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
};

interface Context {
  readonly root: JsonObject;
  readonly topic: string;
}

/**
 * Makes arguments from the schema of the parameters. Strings without a known format get the text `topic` or, if that is
 * empty, the name of their property. Strings are padded or cut to their length limits. `pattern` is ignored.
 */
export function makeArguments(parameters: JsonObject, topic: string): JsonObject {
  const value = makeValue(parameters, { root: parameters, topic }, 'value', 0);
  return isJsonObject(value) ? value : {};
}

function makeValue(schema: Json | undefined, context: Context, name: string, depth: number): Json {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return null;
  // A constant or listed value is valid whatever the other keywords state.
  if ('const' in schema) return schema['const'] ?? null;
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  const inner = resolve(schema, context);
  if (inner !== schema) return makeValue(inner, context, name, depth + 1);
  if ('default' in schema) return schema['default'] ?? null;
  switch (typeOf(schema)) {
    case 'string':
      return makeText(schema, context.topic, name);
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
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    let target: Json | undefined = context.root;
    for (const token of ref.startsWith('#/') ? pointerTokens(ref.slice(1)) : [])
      target = isJsonObject(target) ? target[token] : undefined;
    return target;
  }
  for (const keyword of ['oneOf', 'anyOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) return branches.find(isJsonObject) ?? {};
  }
  const all = schema['allOf'];
  if (Array.isArray(all)) return merge(schema, all.filter(isJsonObject));
  return schema;
}

function merge(schema: JsonObject, parts: readonly JsonObject[]): JsonObject {
  const { allOf: _, ...ownKeywords } = schema;
  const schemas = [ownKeywords, ...parts];
  const properties = schemas.map((part) => (isJsonObject(part['properties']) ? part['properties'] : {}));
  const required = schemas.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []));
  return { ...Object.assign({}, ...schemas), properties: Object.assign({}, ...properties), required };
}

/** Returns the first type, preferably not null; without `type`, `array` if `items` is present, otherwise `object`. */
function typeOf(schema: JsonObject): string {
  const types = [schema['type'] ?? []].flat().filter((type) => typeof type === 'string');
  const preferred = types.find((type) => type !== 'null') ?? types[0];
  if (preferred !== undefined) return preferred;
  return 'items' in schema ? 'array' : 'object';
}

function makeText(schema: JsonObject, topic: string, name: string): string {
  const format = typeof schema['format'] === 'string' ? EXAMPLES_BY_FORMAT[schema['format']] : undefined;
  // Lengths count characters, not UTF-16 units.
  const characters = [...(format ?? (topic === '' ? name : topic))];
  const minLength = Math.min(numberOr(schema['minLength'], 0), MAX_PADDED_LENGTH);
  const padding = '.'.repeat(Math.max(0, minLength - characters.length));
  const maxLength = numberOr(schema['maxLength'], Math.max(DEFAULT_MAX_LENGTH, minLength));
  return [...characters, ...padding].slice(0, maxLength).join('');
}

/** Returns 1, or a permitted number near it: a multiple of the step (default 1) if there is one between the limits. */
function makeNumber(schema: JsonObject): number {
  const step = numberOr(schema['multipleOf'], 1) || 1;
  const above = numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY);
  const below = numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY);
  const min = Math.max(above, numberOr(schema['minimum'], above));
  const max = Math.min(below, numberOr(schema['maximum'], below));
  const nearest = Math.min(Math.max(1, min), max);
  const multiple = Math.ceil(nearest / step) * step;
  const candidates = [multiple, multiple + step, multiple - step, nearest, (min + max) / 2];
  return candidates.find((n) => n >= min && n <= max && n !== above && n !== below) ?? nearest;
}

/** Makes an array of `minItems` elements, at least one for a client to read, and at most 100 or `maxItems`. */
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
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(properties)) {
    if (required.has(key) || depth === 0) result[key] = makeValue(value, context, key, depth + 1);
  }
  return result;
}

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
