import {
  compileSchema,
  createAjv,
  type ErrorObject,
  type JsonSchema,
  resolveRef,
  schema,
  type ValidateFunction,
} from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { pointerTokens, valueAtPointer } from '../../schemas/pointer.ts';
import { ApiError, shorten } from './api-error.ts';
import type { ReceivedForm } from './form.ts';
import { isJsonObject, type JsonObject } from './json.ts';

// Validation ends at the first error, because a hostile body may have millions.
const ajv = createAjv({ ajv: { allErrors: false, code: { optimize: true } } });
/** Keywords whose errors say less than the errors of the branches below them. */
const VAGUE_KEYWORDS = new Set(['oneOf', 'anyOf', 'if']);
const checksPerModel = new Map<string, ValidateFunction>();

/** Validates a body, or its part at the path `place`, such as `thread`. @throws ApiError 400 naming the field. */
export function checkBody(name: string, body: unknown, place: string | null = null): void {
  requireValid(compileSchema(ajv, name), body, name, place);
}

/** Returns a check against a schema that is not one of the specification; it throws as `checkBody` does. */
export function compilePartCheck(wanted: JsonSchema): (value: unknown, place: string | null) => void {
  const check = ajv.compile(wanted);
  return (value, place) => requireValid(check, value, null, place);
}

/** The schema may omit types that its keywords imply. */
export function compileMatcher(wanted: JsonSchema): (value: unknown) => boolean {
  const check = createAjv({ ajv: { strict: false } }).compile(wanted);
  return (value) => check(value);
}

/**
 * Checks the limits that a request schema states for the model of one role (`x-per-model`). Null counts as absent.
 * @throws ApiError 400 naming the field.
 */
export function checkPerModel(name: string, role: string, body: object): void {
  const check = getOrMake(checksPerModel, `${name} ${role}`, () => {
    const limits = Object.entries(propertiesOf(name)).flatMap(([field, { 'x-per-model': limit }]) =>
      isJsonObject(limit) && role in limit ? [[field, limit[role]]] : [],
    );
    return ajv.compile({ type: 'object', properties: Object.fromEntries(limits) });
  });
  requireValid(check, Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)), name);
}

/** Converts text of a form or query to the type of its schema; validation then rejects text that does not convert. */
function coerce(text: unknown, wanted: JsonSchema): unknown {
  if (typeof text !== 'string') return text;
  const types = [wanted['type'] ?? []].flat();
  // A number beyond the range stays text: as Infinity, it would appear as null in the message.
  const isNumber = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) && Number.isFinite(Number(text));
  if (isNumber && (types.includes('integer') || types.includes('number'))) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A file is represented by its name. */
export function formToBody(name: string, form: ReceivedForm): JsonObject {
  const body: Record<string, unknown> = {};
  const properties = propertiesOf(name);
  for (const [sent, value] of form.fields) {
    const bareName = sent.endsWith('[]') ? sent.slice(0, -2) : sent;
    const key =
      [sent, `${bareName}[]`, bareName].find((candidate) => Object.hasOwn(properties, candidate)) ?? sent;
    const rule = properties[key] ?? {};
    if (rule['x-file'] !== undefined)
      throw ApiError.invalid(key, `'${key}' must be a file: send it as a part with a file name.`);
    if ([rule['type']].flat().includes('array')) {
      const item = coerce(value, isJsonObject(rule['items']) ? rule['items'] : {});
      body[key] = Array.isArray(body[key]) ? [...body[key], item] : [item];
    } else {
      body[key] = coerce(value, rule);
    }
  }
  for (const [key, upload] of form.uploads) {
    const rule = properties[key];
    if (rule !== undefined && rule['x-file'] === undefined)
      throw ApiError.invalid(key, `'${key}' must be a plain field, not a file.`);
    body[key] = upload.filename;
  }
  return body as JsonObject; // as: text, numbers, booleans and arrays of them, and JSON that a part declared
}

export function fileRules(name: string, field: string): JsonObject {
  const rules = propertiesOf(name)[field]?.['x-file'];
  return isJsonObject(rules) ? rules : {};
}

function propertiesOf(name: string): Record<string, JsonSchema> {
  const root = schema(name);
  const properties = isJsonObject(root['properties']) ? root['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, value]) => {
      if (!isJsonObject(value)) return [];
      const ref = value['$ref'];
      return [[key, typeof ref === 'string' ? { ...resolveRef(name, ref).schema, ...value } : value]];
    }),
  );
}

export function compileQueryCheck(
  parameters: readonly { readonly name: string; readonly required: boolean; readonly schema: JsonSchema }[],
): (query: unknown) => Record<string, unknown> {
  const schemas = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const check = ajv.compile({ type: 'object', properties: schemas, required });
  return (query) => {
    const sent = isJsonObject(query) ? query : {};
    const values = Object.fromEntries(
      Object.entries(sent).map(([key, value]) => [key, coerce(value, schemas[key] ?? {})]),
    );
    requireValid(check, values, null);
    return values;
  };
}

function requireValid(
  check: ValidateFunction,
  value: unknown,
  name: string | null,
  place: string | null = null,
): void {
  if (check(value)) return;
  const errors = check.errors ?? [];
  const first = errors.find(({ keyword }) => !VAGUE_KEYWORDS.has(keyword)) ?? errors[0];
  if (name !== null) refuseByRule(name, errors);
  const param = paramAt(first?.instancePath ?? '', place);
  const missing = first?.params['missingProperty'];
  if (typeof missing === 'string') {
    const field = param === null ? missing : `${param}.${missing}`;
    throw ApiError.invalid(field, `Missing required parameter: '${field}'.`, 'missing_required_parameter');
  }
  const actual = shorten(JSON.stringify(valueAtPointer(value, first?.instancePath ?? '')) ?? 'nothing');
  const what = param === null ? 'The body' : `'${param}'`;
  throw ApiError.invalid(param, `${what} ${describeError(first)}, but is ${actual}.`, 'invalid_value');
}

/** @throws ApiError for a broken rule across fields, named in the schema (`x-rule`): `stream-options-need-stream`. */
function refuseByRule(name: string, errors: readonly ErrorObject[]): void {
  for (const { schemaPath } of errors) {
    const index = /^#\/allOf\/(\d+)\//.exec(schemaPath)?.[1];
    const rules = index === undefined ? undefined : schema(name)['allOf'];
    const broken = Array.isArray(rules) ? rules[Number(index)] : undefined;
    if (!isJsonObject(broken) || typeof broken['x-rule'] !== 'string') continue;
    const condition = isJsonObject(broken['if']) ? broken['if']['required'] : undefined;
    const param = Array.isArray(condition) && typeof condition[0] === 'string' ? condition[0] : null;
    const rule = broken['x-rule'].replaceAll('-', ' ');
    throw ApiError.invalid(param, `${param === null ? 'The body' : `'${param}'`} breaks a rule: ${rule}.`);
  }
}

function describeError(error: ErrorObject | undefined): string {
  const { keyword = '', params = {}, message = 'is not valid' } = error ?? {};
  if (Array.isArray(params['allowedValues']))
    return `must be one of ${params['allowedValues'].map(String).join(', ')}`;
  if (Array.isArray(params['type'])) return `must be ${params['type'].join(' or ')}`;
  return keyword === 'false schema' ? 'is not supported by this model' : message;
}

/** Converts `/messages/0/role` to `messages[0].role`; returns `place` for the whole value. */
function paramAt(pointer: string, place: string | null): string | null {
  const parts = pointerTokens(pointer).map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`));
  if (parts.length === 0) return place;
  return place === null ? parts.join('').replace(/^\./, '') : place + parts.join('');
}
