// How schemas record the reading of the specification: the words of its fields (`x-words`), with the demand of each
// form of words on a schema, and the places that it leaves open (`x-open`).
import { type JsonSchema, resolveRef, schema, schemaNames } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';

export interface WordedField {
  /** The schema and the place in it: `createRun:temperature`. */
  readonly place: string;
  /** Words in the forms that `RULES` matches: `required`, `max 64`, `string or null`. */
  readonly words: readonly string[];
  /** Whether callers send the field; otherwise services do. */
  readonly isSent: boolean;
  /** The schemas that apply to the field: its own, those that this refers to, and the branches of unions. */
  readonly schemas: readonly JsonSchema[];
  readonly isRequired: boolean;
  readonly isExpected: boolean;
  /** The rules of the schema that concern several fields, as text. */
  readonly rules: string;
}

export function listWordedFields(): readonly WordedField[] {
  return schemaNames().flatMap((name) => [...fieldsOf(name, schema(name), '')]);
}

/** The places of schemas where `x-open` leaves requests open: `createThread:messages[]`. */
export function listOpenPlaces(): readonly string[] {
  return schemaNames().flatMap((name) =>
    [...findOpenPaths(schema(name), '')].map((path) => `${name}:${path}`),
  );
}

function* findOpenPaths(node: JsonSchema, path: string): Generator<string> {
  const kind = objectOf(objectOf(node['properties'])['type'])['const'];
  const name = node['x-rule'] === undefined ? '' : `#${String(node['x-rule'])}`;
  if (node['x-open'] !== undefined) yield `${path}${name}${typeof kind === 'string' ? `(${kind})` : ''}`;
  for (const [key, value] of Object.entries(objectOf(node['properties'])))
    yield* findOpenPaths(objectOf(value), path === '' ? key : `${path}.${key}`);
  if (isObject(node['items'])) yield* findOpenPaths(objectOf(node['items']), `${path}[]`);
  for (const keyword of ['oneOf', 'allOf'])
    for (const part of arrayOf(node[keyword])) yield* findOpenPaths(objectOf(part), path);
}

/** The words of a field that its schema contradicts, each after the place of the field: `vector_store:name string`. */
export function findDeviations(field: WordedField): readonly string[] {
  return field.words
    .filter((form) => RULES.find(([known]) => known.test(form))?.[1](field, form) !== true)
    .map((form) => `${field.place} ${form}`);
}

function* fieldsOf(name: string, node: JsonSchema, path: string): Generator<WordedField> {
  for (const [key, value] of Object.entries(objectOf(node['properties']))) {
    const fieldSchema = objectOf(value);
    const at = path === '' ? key : `${path}.${key}`;
    const words = arrayOf(fieldSchema['x-words']).map(String);
    if (words.length > 0)
      yield {
        place: `${name}:${at}`,
        words,
        isSent: isRequest(name),
        schemas: [...applicableSchemas(fieldSchema, name)],
        isRequired: arrayOf(node['required']).includes(key),
        isExpected: arrayOf(node['x-expected']).includes(key),
        rules: JSON.stringify(schema(name)['allOf'] ?? []),
      };
    yield* fieldsOf(name, fieldSchema, at);
  }
  for (const inner of ['items', 'additionalProperties'])
    if (isObject(node[inner])) yield* fieldsOf(name, objectOf(node[inner]), `${path}[]`);
  for (const branch of arrayOf(node['oneOf'])) yield* fieldsOf(name, objectOf(branch), path);
}

function isRequest(name: string): boolean {
  return /^(create|modify)[A-Z]/.test(name) || name === 'stream_options' || name.endsWith('.input');
}

function* applicableSchemas(node: JsonSchema, from: string): Generator<JsonSchema> {
  yield node;
  const reference = node['$ref'];
  if (typeof reference === 'string') {
    const referred = resolveRef(from, reference);
    yield* applicableSchemas(referred.schema, referred.name);
  }
  for (const branch of arrayOf(node['oneOf'])) yield* applicableSchemas(objectOf(branch), from);
}

type Rule = (field: WordedField, form: string) => boolean;

/** The demands of each form of words; the first matching form applies. */
const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^required$/, ({ isRequired }) => isRequired],
  [/^optional$/, ({ isRequired }) => !isRequired],
  // The schema must not demand the field: a condition under which it is required is judged as behaviour.
  [/^(when|deprecated)$/, ({ isRequired, isExpected }) => !isRequired && !isExpected],
  [
    / to /,
    (field, form) =>
      includesText(valuesOf(field, 'minimum'), form.split(' to ')[0]) &&
      includesText(valuesOf(field, 'maximum'), form.split(' to ')[1]),
  ],
  [
    /^max /,
    (field, form) =>
      ['maxLength', 'maxItems', 'maximum'].some((keyword) =>
        includesText(valuesOf(field, keyword), form.slice(4)),
      ),
  ],
  [/^default /, (field, form) => includesText(valuesOf(field, 'default'), form.slice(8))],
  [/^always$/, (field) => valuesOf(field, 'const').length === 1],
  [
    /^one of$/,
    (field) => arrayOf(valuesOf(field, 'enum')[0]).length > 1 && valuesOf(field, 'x-open-enum').length === 0,
  ],
  [/^values seen$/, (field) => valuesOf(field, 'enum').length + valuesOf(field, 'const').length === 0],
  [
    /^only value$/,
    (field) =>
      [...valuesOf(field, 'const'), ...valuesOf(field, 'enum'), ...valuesOf(field, 'x-model-role')].length >
      0,
  ],
  // Whether a field that a model or form lacks is ignored or refused is a choice.
  [/^only field$/, () => true],
  [/^needs$/, ({ place, rules }) => rules.includes(`"${place.slice(place.indexOf(':') + 1)}"`)],
  [/^greater than$/, (field) => valuesOf(field, 'x-greater-than').length === 1],
  [/./, isOfType],
];

/**
 * Whether the schema allows exactly the stated types. Unconditional fields of a response must also be required, or
 * `x-expected` if nullable.
 */
function isOfType(field: WordedField, form: string): boolean {
  const wanted = new Set(form.split(/, | or /));
  const allowed = new Set(
    valuesOf(field, 'type')
      .flatMap((type) => (arrayOf(type).length > 0 ? arrayOf(type) : [type]))
      .map(String),
  );
  const isConditional = field.words.some((one) => ['when', 'deprecated', 'optional'].includes(one));
  const mayBeNull = allowed.delete('null') && !isConditional && valuesOf(field, 'x-null').length === 0;
  const isNullable = wanted.delete('null');
  // A file is a string of bytes.
  const types = [...wanted].map((type) => (type === 'file' ? 'string' : type));
  const isSame = allowed.size === types.length && types.every((type) => allowed.has(type));
  if (!isSame || mayBeNull !== isNullable) return false;
  if (field.isSent || isConditional) return true;
  return isNullable ? field.isExpected && !field.isRequired : field.isRequired;
}

function valuesOf({ schemas }: WordedField, keyword: string): readonly unknown[] {
  const inner = schemas.flatMap((one) =>
    keyword === 'minimum' || keyword === 'maximum' ? [one, objectOf(one['additionalProperties'])] : [one],
  );
  return inner.flatMap((one) => (one[keyword] === undefined ? [] : [one[keyword]]));
}

function includesText(values: readonly unknown[], text: string | undefined): boolean {
  return values.some((value) => (typeof value === 'string' ? value : JSON.stringify(value)) === text);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}
