// The only user of ajv outside tests: an instance that holds every schema file, and validators by schema name.
import { createRequire } from 'node:module';
import type { Ajv2020, Code, KeywordDefinition, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from './contract.ts';
import { schema, schemaFile, schemaNames } from './load.ts';
import { schemaPatterns } from './patterns.ts';
import { pointerToken } from './pointer.ts';
import { perSpecification } from './specification.ts';
import { rewriteUnions } from './unions.ts';

export type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

export interface SchemaError {
  /** JSON pointer of the value; for a missing property, the pointer at which it is missing. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

export interface AjvOptions {
  /** Further keywords; one with the name of a keyword of this package replaces it. */
  readonly keywords?: readonly (KeywordDefinition & { readonly keyword: string })[];
  /** Changes a schema as stored on disk before it is added. */
  readonly prepare?: (name: string, schema: JsonSchema) => JsonSchema;
  /** `narrowed` (default): only the branch that a value selects is judged. `written`: `oneOf` as in the file. */
  readonly unions?: 'narrowed' | 'written';
  readonly ajv?: Options;
}

const require = createRequire(import.meta.url);

/** Loads ajv on first use, because commands that judge with generated validators start without it. */
function loadAjv(): Pick<typeof import('ajv/dist/2020.js'), 'Ajv2020' | '_'> {
  return require('ajv/dist/2020.js');
}

/** Template tag for code that a keyword generates; inserted strings are quoted. */
export function codeOf(
  parts: TemplateStringsArray,
  ...values: Parameters<typeof import('ajv')._>[1][]
): Code {
  return loadAjv()._(parts, ...values);
}

/** Generates a JavaScript module of validators. `schemas`: keys by export name. `ajv` needs option `code.source`. */
export function standaloneCode(ajv: Ajv2020, schemas: Readonly<Record<string, string>>): string {
  const standalone: { readonly default: typeof standaloneCode } = require('ajv/dist/standalone/index.js');
  return standalone.default(ajv, schemas);
}

/** Keywords for other code, tests and readers of the schemas; no JSON value violates them. */
const ANNOTATIONS = [
  'discriminator x-basis x-elsewhere x-expected x-file x-file-id x-first x-model-role x-null x-open x-open-enum',
  'x-per-model x-rule x-shown x-spec x-unmarked x-unshown x-words',
].flatMap((line) => line.split(' '));

/** Shared, because compiling the schemas is the most expensive part of a start. */
const sharedAjv = perSpecification(() => createAjv());
const validators = perSpecification(() => new Map<string, (value: unknown) => readonly SchemaError[]>());

export function createAjv(options: AjvOptions = {}): Ajv2020 {
  const {
    keywords = [],
    prepare = (_, stored) => stored,
    unions = 'narrowed',
    ajv: ajvOptions = {},
  } = options;
  const ajv = createBareAjv({
    ...ajvOptions,
    // Optimising takes as long as compiling, and does not pay off within one run.
    code: { regExp: schemaPatterns, ...(ajvOptions.code ?? { optimize: false }) },
  });
  const replacedKeywords = new Set(keywords.map(({ keyword }) => keyword));
  for (const keyword of ANNOTATIONS) if (!replacedKeywords.has(keyword)) ajv.addKeyword(keyword);
  if (!replacedKeywords.has(GREATER_THAN.keyword)) ajv.addKeyword(GREATER_THAN);
  for (const keyword of keywords) ajv.addKeyword(keyword);
  for (const name of schemaNames()) {
    const prepared = prepare(name, schema(name));
    ajv.addSchema(unions === 'written' ? prepared : rewriteUnions(name, prepared), schemaKey(name));
  }
  return ajv;
}

/**
 * Decimals to which a quotient counts as whole: 0.3 is a multiple of 0.1, although 0.3 / 0.1 is below 3 in binary. With
 * 7 decimals, 1 would be a multiple of 10,000,000.
 */
export const MULTIPLE_OF_PRECISION = 9;

export function createBareAjv(options: Options): Ajv2020 {
  return new (loadAjv().Ajv2020)({
    allErrors: true,
    strict: true,
    strictTypes: false,
    // A schema of an extension may require a property that another of its subschemas lists.
    strictRequired: false,
    allowUnionTypes: true,
    // A test validates the schemas.
    validateSchema: false,
    multipleOfPrecision: MULTIPLE_OF_PRECISION,
    ...options,
  });
}

/** Throws UnknownSchema, or Error if `ajv` was created without the schema. */
export function compileSchema(ajv: Ajv2020, name: string): ValidateFunction {
  const validate = ajv.getSchema(schemaKey(name));
  if (!validate) throw new Error(`This ajv does not hold schema ${name}.`);
  return validate;
}

export function schemaValidator(name: string): (value: unknown) => readonly SchemaError[] {
  const cached = validators().get(name);
  if (cached) return cached;
  const validate = compileSchema(sharedAjv(), name);
  const check = (value: unknown) => (validate(value) ? [] : readErrors(validate));
  validators().set(name, check);
  return check;
}

/** The key of a schema inside ajv; relative `$ref`s resolve against it. */
export function schemaKey(name: string): string {
  return `schema:///${schemaFile(name).path}`;
}

/**
 * One violation per place and keyword. Drops the additional errors of ajv about a failed branch or property name, and
 * all other errors of a value of the wrong type.
 */
function readErrors({ errors }: ValidateFunction): readonly SchemaError[] {
  const byKey = new Map<string, SchemaError>();
  const wrongType = new Set<string>();
  for (const { instancePath, keyword, message = '', params, propertyName } of errors ?? []) {
    if (keyword === 'if' || propertyName !== undefined) continue;
    if (keyword === 'type') wrongType.add(instancePath);
    const pointer =
      keyword === 'required'
        ? `${instancePath}/${pointerToken(String(params['missingProperty']))}`
        : instancePath;
    byKey.set(`${keyword} ${pointer}`, { pointer, keyword, message });
  }
  return [...byKey.values()].filter(({ pointer, keyword }) => keyword === 'type' || !wrongType.has(pointer));
}

/** `x-greater-than: "n"`: the number is greater than its sibling `n`, if both are present. */
const GREATER_THAN = {
  keyword: 'x-greater-than',
  type: 'number',
  schemaType: 'string',
  error: { message: (context) => `must be greater than ${String(context.schema)}` },
  // Generates code, because validators that hold a function cannot be written to a file.
  code: (context) => {
    const { data, schema, it } = context;
    const parent = it.parentData;
    context.fail(
      codeOf`typeof ${parent} === 'object' && ${parent} !== null && typeof ${parent}[${schema}] === 'number' && !(${data} > ${parent}[${schema}])`,
    );
  },
} satisfies KeywordDefinition & { keyword: string };
