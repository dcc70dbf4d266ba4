// Turns the rows of openapi.json into operations.
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
} from '../contract.ts';
import { openapi } from '../load.ts';

/** The part of openapi.json that the loader reads. */
interface Table {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Row>>>>;
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

/** An operation as `openapi.json` writes it. */
interface Row {
  /** Unique in the document. */
  readonly operationId: string;
  /** The family, where the row has no `x-variants`. */
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

/** An entry of `x-variants`; what it leaves out is as in the plain row. Schemas are named, not referenced. */
type VariantRow = Pick<Variant, 'name' | 'family' | 'beta' | 'counted'> & {
  readonly body?: Variant['body'];
  readonly answers?: readonly Partial<ResponseShape>[];
};

/** Bodies by content type. */
type Content = Readonly<
  Record<
    string,
    {
      readonly schema?: { readonly $ref?: string };
      readonly 'x-events'?: ResponseShape['events'];
      readonly 'x-when'?: ResponseShape['when'];
    }
  >
>;

const METHODS = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;

/** All rows, in their order. */
export function readOperationTable(): readonly Operation[] {
  const data = openapi() as Table; // as: our own data; the linter and a test hold its form
  return Object.entries(data.paths).flatMap(([path, item]) =>
    Object.entries(METHODS).flatMap(([verb, method]) => {
      const row = item[verb];
      return row === undefined ? [] : [readRow(row, method, path, data)];
    }),
  );
}

/** One row as an operation. */
function readRow(row: Row, method: Operation['method'], path: string, data: Table): Operation {
  const parameters = (row.parameters ?? []).map((each) => readParameter(each, data));
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

/** A parameter of a row, or the one of `components` that it refers to. Throws where there is none. */
function readParameter(given: Parameter | { readonly $ref: string }, data: Table): Parameter {
  const found = '$ref' in given ? data.components?.parameters?.[posix.basename(given.$ref)] : given;
  if (found === undefined) throw new Error('A parameter in openapi.json refers to none of components.');
  const { name, in: place, required = false, schema } = found;
  return { name, in: place, required, schema };
}

/** How an operation lists, by its query parameters. */
function readList(traits: NonNullable<Row['x-list']>, parameters: readonly Parameter[]): ListTraits {
  const query = parameters.filter((each) => each.in === 'query');
  const limit = query.find((each) => each.name === 'limit')?.schema;
  return {
    scope: traits.scope,
    cursors: (['after', 'before'] as const).filter((cursor) => query.some(({ name }) => name === cursor)),
    order: query.some(({ name }) => name === 'order'),
    defaultLimit: number(limit, 'default'),
    maxLimit: number(limit, 'maximum'),
    filters: query.map(({ name }) => name).filter((name) => !PAGING.has(name)),
    make: traits.make ?? Number.POSITIVE_INFINITY,
  };
}

/** Query parameters that turn pages; all others filter. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'order', 'after', 'before']);

function number(limit: JsonSchema | undefined, keyword: string): number | null {
  const value = limit?.[keyword];
  return typeof value === 'number' ? value : null;
}

/** The forms of an operation: those of `x-variants`, or one. */
function readVariants(row: Row): readonly Variant[] {
  const body = readBody(row.requestBody);
  const answers = Object.entries(row.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => readAnswers(response.content ?? {}));
  const rows: readonly VariantRow[] = row['x-variants'] ?? [
    { name: 'only', family: row.tags[0], beta: row['x-beta'] ?? null, counted: true },
  ];
  return rows.map((each) => ({ body, ...each, answers: each.answers?.map(readAnswer) ?? answers }));
}

function readBody(given: Row['requestBody']): Variant['body'] {
  const entry = Object.entries(given?.content ?? {})[0];
  if (!given || !entry) return null;
  const [type, { schema }] = entry;
  const carrier = type === 'multipart/form-data' ? 'multipart' : 'json';
  return { carrier, schema: nameOf(schema) ?? '', required: given.required ?? false };
}

function readAnswers(content: Content): readonly ResponseShape[] {
  return Object.entries(content).map(([contentType, shape]) =>
    readAnswer({
      contentType,
      schema: nameOf(shape.schema),
      events: shape['x-events'] ?? null,
      when: shape['x-when'] ?? null,
    }),
  );
}

/** A response shape with its defaults: JSON without a schema, whatever the request contains. */
function readAnswer(given: Partial<ResponseShape>): ResponseShape {
  return { contentType: 'application/json', schema: null, events: null, when: null, ...given };
}

/** The schema name that a `$ref` in openapi.json ends in; null for raw content and for anything but a single file. */
function nameOf(given: { readonly $ref?: string } | undefined): string | null {
  return given?.$ref === undefined ? null : posix.basename(given.$ref, '.json');
}
