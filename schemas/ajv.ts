// The one place that knows ajv: an instance that holds every schema file, and validators by name.
import { Ajv2020, type KeywordDefinition, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from './contract.ts';
import { schema, schemaFile, schemaNames } from './load.ts';
import { chooseBranches } from './unions.ts';

export type { Ajv2020, ErrorObject, KeywordDefinition, ValidateFunction } from 'ajv/dist/2020.js';

/** Where a value disagrees with a schema. */
export interface Violation {
  /** JSON pointer of the value; for a missing property the place where it is missing. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

export interface AjvOptions {
  /** Keywords of the caller's own; one named as an annotation of ours replaces it. */
  readonly keywords?: readonly (KeywordDefinition & { readonly keyword: string })[];
  /** Changes a schema before it is added; gets the file's schema as on disk. */
  readonly prepare?: (name: string, schema: JsonSchema) => JsonSchema;
  /** Handed to ajv as they are. */
  readonly ajv?: Options;
}

/** Keywords of ours that state facts for other readers and that no JSON value can break by itself. */
const ANNOTATIONS = [
  'discriminator',
  'x-expected',
  'x-file',
  'x-file-id',
  'x-model-role',
  'x-open-enum',
  'x-per-model',
  'x-rule',
  'x-spec',
] as const;

let shared: Ajv2020 | undefined;
const validators = new Map<string, (value: unknown) => readonly Violation[]>();

/** An ajv that holds all our schemas under {@link schemaKey}, with unions narrowed to the chosen branch. */
export function newAjv({
  keywords = [],
  prepare = (_, whole) => whole,
  ajv: given = {},
}: AjvOptions = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    ...given,
  });
  const own = new Set(keywords.map(({ keyword }) => keyword));
  for (const keyword of ANNOTATIONS) if (!own.has(keyword)) ajv.addKeyword(keyword);
  if (!own.has(GREATER_THAN.keyword)) ajv.addKeyword(GREATER_THAN);
  for (const keyword of keywords) ajv.addKeyword(keyword);
  for (const name of schemaNames()) {
    ajv.addSchema(chooseBranches(name, prepare(name, schema(name))), schemaKey(name));
  }
  return ajv;
}

/** The compiled schema of a name. Throws UnknownSchema. */
export function compile(ajv: Ajv2020, name: string): ValidateFunction {
  const validate = ajv.getSchema(schemaKey(name));
  if (!validate) throw new Error(`This ajv does not hold schema ${name}.`);
  return validate;
}

/** A check of values against a schema. An empty answer means that the value keeps it. Throws UnknownSchema. */
export function validator(name: string): (value: unknown) => readonly Violation[] {
  const known = validators.get(name);
  if (known) return known;
  shared ??= newAjv();
  const validate = compile(shared, name);
  const check = (value: unknown) => (validate(value) ? [] : violations(validate));
  validators.set(name, check);
  return check;
}

/** The key of a schema inside an ajv of ours; relative `$ref`s resolve against it. */
export function schemaKey(name: string): string {
  return `schema:///${schemaFile(name).path}`;
}

/** What broke inside a branch is reported by itself, and a bad property name by its rule; ajv adds a second error to both. */
function violations({ errors }: ValidateFunction): readonly Violation[] {
  const own = (errors ?? []).filter((error) => error.keyword !== 'if' && error.propertyName === undefined);
  return own.map(({ instancePath, keyword, message = '', params }) => ({
    pointer:
      keyword === 'required' ? `${instancePath}/${pointerPart(params['missingProperty'])}` : instancePath,
    keyword,
    message,
  }));
}

function pointerPart(property: unknown): string {
  return String(property).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** `x-greater-than: "n"`: the number is above that of its sibling `n`, where both are given. */
const GREATER_THAN = {
  keyword: 'x-greater-than',
  type: 'number',
  schemaType: 'string',
  error: { message: (context) => `must be greater than ${String(context.schema)}` },
  validate: (sibling: string, value: number, _: unknown, context?: { parentData?: unknown }) => {
    const parent = context?.parentData;
    const other = typeof parent === 'object' && parent !== null ? Reflect.get(parent, sibling) : undefined;
    return typeof other !== 'number' || value > other;
  },
} satisfies KeywordDefinition & { keyword: string };
