// Reads the built-in operations from `openapi.json`.
import { posix } from 'node:path';
import type {
  CostClass,
  FamilyName,
  JsonSchema,
  ListTraits,
  Operation,
  Parameter,
  ResponseShape,
  Variant,
} from './contract.ts';
import { readOpenApi } from './load.ts';

interface Table {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Row>>>>;
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

interface Row {
  readonly operationId: string;
  /** The family, unless there are `x-variants`. */
  readonly tags: readonly [FamilyName];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-spec': string;
  readonly 'x-cost': CostClass;
  readonly 'x-other-path'?: string;
  readonly 'x-beta'?: Variant['beta'];
  readonly 'x-list'?: { readonly scope: ListTraits['scope']; readonly make: number | null };
  readonly 'x-variants'?: readonly VariantRow[];
}

/** An entry of `x-variants`. Absent fields default to the operation's; schemas are given by name, not by `$ref`. */
type VariantRow = Pick<Variant, 'name' | 'family' | 'beta' | 'counted'> & {
  readonly body?: Variant['body'];
  readonly answers?: readonly Partial<ResponseShape>[];
};

type Content = Readonly<Record<string, MediaTypeRow>>;

interface MediaTypeRow {
  readonly schema?: { readonly $ref?: string };
  readonly 'x-events'?: ResponseShape['events'];
  readonly 'x-when'?: ResponseShape['when'];
}

const METHODS = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;
/** Query parameters for paging; all others are filters. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'order', 'after', 'before']);

export function readOperationTable(): readonly Operation[] {
  const data = readOpenApi() as Table; // as: tests examine all operations
  return Object.entries(data.paths).flatMap(([path, item]) =>
    Object.entries(METHODS).flatMap(([verb, method]) => {
      const row = item[verb];
      return row === undefined ? [] : [readRow(row, method, path, data)];
    }),
  );
}

function readRow(row: Row, method: Operation['method'], path: string, data: Table): Operation {
  const parameters = (row.parameters ?? []).map((entry) => readParameter(entry, data));
  return {
    id: row.operationId,
    method,
    path,
    otherPath: row['x-other-path'] ?? null,
    spec: row['x-spec'],
    cost: row['x-cost'],
    parameters,
    list: row['x-list'] === undefined ? null : readList(row['x-list'], parameters),
    variants: readVariants(row),
  };
}

function readParameter(entry: Parameter | { readonly $ref: string }, data: Table): Parameter {
  const parameter = '$ref' in entry ? data.components?.parameters?.[posix.basename(entry.$ref)] : entry;
  if (parameter === undefined)
    throw new Error(`A parameter in openapi.json refers to a missing entry: ${JSON.stringify(entry)}.`);
  const { name, in: place, required = false, schema } = parameter;
  return { name, in: place, required, schema };
}

function readList(traits: NonNullable<Row['x-list']>, parameters: readonly Parameter[]): ListTraits {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const limit = query.find(({ name }) => name === 'limit')?.schema;
  return {
    scope: traits.scope,
    cursors: (['after', 'before'] as const).filter((cursor) => query.some(({ name }) => name === cursor)),
    order: query.some(({ name }) => name === 'order'),
    defaultLimit: numericKeyword(limit, 'default'),
    maxLimit: numericKeyword(limit, 'maximum'),
    filters: query.map(({ name }) => name).filter((name) => !PAGING.has(name)),
    make: traits.make ?? Number.POSITIVE_INFINITY,
  };
}

function numericKeyword(schema: JsonSchema | undefined, keyword: string): number | null {
  const value = schema?.[keyword];
  return typeof value === 'number' ? value : null;
}

function readVariants(row: Row): readonly Variant[] {
  const body = readBody(row.requestBody);
  const answers = Object.entries(row.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => readAnswers(response.content ?? {}));
  const rows: readonly VariantRow[] = row['x-variants'] ?? [
    { name: 'only', family: row.tags[0], beta: row['x-beta'] ?? null, counted: true },
  ];
  return rows.map((variant) => ({ body, ...variant, answers: variant.answers?.map(readAnswer) ?? answers }));
}

function readBody(requestBody: Row['requestBody']): Variant['body'] {
  const entry = Object.entries(requestBody?.content ?? {})[0];
  if (!requestBody || !entry) return null;
  const [type, { schema }] = entry;
  const carrier = type === 'multipart/form-data' ? 'multipart' : 'json';
  return { carrier, schema: schemaNameOf(schema) ?? '', required: requestBody.required ?? false };
}

function readAnswers(content: Content): readonly ResponseShape[] {
  return Object.entries(content).map(([contentType, shape]) =>
    readAnswer({
      contentType,
      schema: schemaNameOf(shape.schema),
      events: shape['x-events'] ?? null,
      when: shape['x-when'] ?? null,
    }),
  );
}

/** A response shape with defaults: unconditional JSON without a schema. */
function readAnswer(shape: Partial<ResponseShape>): ResponseShape {
  return { contentType: 'application/json', schema: null, events: null, when: null, ...shape };
}

/** Null without a `$ref`, as for raw content. */
function schemaNameOf(reference: { readonly $ref?: string } | undefined): string | null {
  return reference?.$ref === undefined ? null : posix.basename(reference.$ref, '.json');
}
