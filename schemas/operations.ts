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
import { isObject } from './json.ts';
import { openapi, schema } from './load.ts';
import { groupBy } from './maps.ts';
import { extensions, perSpecification } from './specification.ts';

/** Thrown for an id that no operation has, whether built-in or of an active extension. */
export class UnknownOperation extends Error {
  /** Always `UnknownOperation`. */
  override name = 'UnknownOperation';
}

/** The operation that a method and a path belong to. */
export interface PathMatch {
  /** A built-in operation, or one of an active extension. */
  readonly operation: Operation;
  /** Decoded values by parameter name: `file_id`. */
  readonly path: Readonly<Record<string, string>>;
}

let builtInOperations: readonly Operation[] | undefined;

/** The built-in operations, in the order of `openapi.json`. */
export function ownOperations(): readonly Operation[] {
  builtInOperations ??= readOperationTable();
  return builtInOperations;
}

/** The built-in operations, then those of the active extensions. */
export const operations = perSpecification((): readonly Operation[] => [
  ...ownOperations(),
  ...extensions().flatMap((extension) => extension.operations),
]);

const operationsById = perSpecification(
  (): ReadonlyMap<string, Operation> => new Map(operations().map((each) => [each.id, each])),
);
const pathIndex = perSpecification(() => buildIndex(({ path }) => path));
const otherPathIndex = perSpecification(() => buildIndex(({ otherPath }) => otherPath));

export function families(): readonly FamilyName[] {
  return [...new Set(operations().flatMap(({ variants }) => variants.map(({ family }) => family)))];
}

/** Returns the operation with this id. Throws UnknownOperation. */
export function operation(id: string): Operation {
  const found = operationsById().get(id);
  if (!found) throw new UnknownOperation(`Operation ${id} is not in openapi.json or an active extension.`);
  return found;
}

/**
 * The operation that a method and a path (`/v1/files/file-1`, no query) belong to, or null.
 * A fixed segment wins over a parameter: `/v1/threads/runs` does not name a thread called `runs`.
 */
export function matchOperation(method: string, path: string): PathMatch | null {
  return match(pathIndex(), method, path);
}

/** Like `matchOperation`, for the alternative path of an operation. */
export function matchAlternativePath(method: string, path: string): PathMatch | null {
  return match(otherPathIndex(), method, path);
}

function match(candidates: Candidates, method: string, path: string): PathMatch | null {
  const segments = path.split('/');
  const found = candidates
    .get(`${method} ${segments.length}`)
    ?.find(({ template }) => matchesTemplate(template, segments));
  return found === undefined ? null : { operation: found.operation, path: decodePath(found, segments) };
}

interface Candidate {
  readonly operation: Operation;
  /** The segments of its path: literal text, or the name of a parameter. */
  readonly template: readonly Segment[];
  readonly parameterCount: number;
}

type Segment = { readonly fixed: string } | { readonly parameter: string };

/** Candidates by method and number of path segments; operations with the fewest parameters first. */
type Candidates = ReadonlyMap<string, readonly Candidate[]>;

function buildIndex(pathOf: (operation: Operation) => string | null): Candidates {
  const all = operations().flatMap((operation): readonly Candidate[] => {
    const template = pathOf(operation)
      ?.split('/')
      .map((part): Segment => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { fixed: part }));
    if (template === undefined) return [];
    return [{ operation, template, parameterCount: template.filter((one) => 'parameter' in one).length }];
  });
  const sorted = all.toSorted((a, b) => a.parameterCount - b.parameterCount);
  return groupBy(sorted, ({ operation, template }) => `${operation.method} ${template.length}`);
}

/** Whether the segments of a path match a template. Parameter values must not be empty. */
function matchesTemplate(template: readonly Segment[], segments: readonly string[]): boolean {
  return template.every((segment, index) =>
    'fixed' in segment ? segment.fixed === segments[index] : segments[index] !== '',
  );
}

function decodePath({ template }: Candidate, segments: readonly string[]): Readonly<Record<string, string>> {
  const path: Record<string, string> = {};
  for (const [index, segment] of template.entries())
    if ('parameter' in segment) path[segment.parameter] = decodeSegment(segments[index] ?? '');
  return path;
}

/** Percent-decodes a path segment; returns it unchanged if an escape is invalid. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The part of openapi.json that the loader reads. */
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

function readOperationTable(): readonly Operation[] {
  const data = openapi() as Table;
  return Object.entries(data.paths).flatMap(([path, item]) =>
    Object.entries(METHODS).flatMap(([verb, method]) => {
      const row = item[verb];
      return row === undefined ? [] : [readRow(row, method, path, data)];
    }),
  );
}

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

/** Resolves a parameter. Throws if its reference is not in `components`. */
function readParameter(entry: Parameter | { readonly $ref: string }, data: Table): Parameter {
  const found = '$ref' in entry ? data.components?.parameters?.[posix.basename(entry.$ref)] : entry;
  if (found === undefined)
    throw new Error('A parameter in openapi.json does not refer to an entry of components.');
  const { name, in: place, required = false, schema } = found;
  return { name, in: place, required, schema };
}

function readList(traits: NonNullable<Row['x-list']>, parameters: readonly Parameter[]): ListTraits {
  const query = parameters.filter((each) => each.in === 'query');
  const limit = query.find((each) => each.name === 'limit')?.schema;
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

/** Query parameters for paging; all others are filters. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'order', 'after', 'before']);

function numericKeyword(limit: JsonSchema | undefined, keyword: string): number | null {
  const value = limit?.[keyword];
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
  return rows.map((each) => ({ body, ...each, answers: each.answers?.map(readAnswer) ?? answers }));
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

/** The schema name in a `$ref` of openapi.json; null for raw content and for anything that is not a single file. */
function schemaNameOf(reference: { readonly $ref?: string } | undefined): string | null {
  return reference?.$ref === undefined ? null : posix.basename(reference.$ref, '.json');
}

/** Whether a request meets the condition of a response. Absent and null fields take their stated default, or null. */
export function fulfils(
  when: NonNullable<ResponseShape['when']>,
  request: unknown,
  variant: Pick<Variant, 'body'>,
): boolean {
  return Object.entries(when).every(([field, values]) => {
    const sent = isObject(request) && Object.hasOwn(request, field) ? request[field] : undefined;
    return values.includes(sent ?? defaultOf(variant, field));
  });
}

function defaultOf({ body }: Pick<Variant, 'body'>, field: string): unknown {
  const properties = body === null ? undefined : schema(body.schema)['properties'];
  const stated = isObject(properties) ? properties[field] : undefined;
  return isObject(stated) ? (stated['default'] ?? null) : null;
}
