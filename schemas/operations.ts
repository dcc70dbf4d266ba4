import type { FamilyName, Operation, ResponseShape, Variant } from './contract.ts';
import { isObject } from './json.ts';
import { schema } from './load.ts';
import { groupBy } from './maps.ts';
import { readOperationTable } from './operation-table.ts';
import { matchTemplate, type PathTemplate, parseTemplate, pathParameters } from './path-template.ts';
import { extensions, perSpecification } from './specification.ts';

export class UnknownOperation extends Error {
  override name = 'UnknownOperation';
}

export interface PathMatch {
  readonly operation: Operation;
  /** Decoded values by parameter name: `file_id`. */
  readonly path: Readonly<Record<string, string>>;
}

let builtInOperations: readonly Operation[] | undefined;

export function ownOperations(): readonly Operation[] {
  builtInOperations ??= readOperationTable();
  return builtInOperations;
}

export const operations = perSpecification((): readonly Operation[] => [
  ...ownOperations(),
  ...extensions().flatMap((extension) => extension.operations),
]);

const operationsById = perSpecification(
  (): ReadonlyMap<string, Operation> => new Map(operations().map((entry) => [entry.id, entry])),
);
const pathIndex = perSpecification(() => buildIndex(({ path }) => path));
const otherPathIndex = perSpecification(() => buildIndex(({ otherPath }) => otherPath));

export function families(): readonly FamilyName[] {
  return [...new Set(operations().flatMap(({ variants }) => variants.map(({ family }) => family)))];
}

/** The families of an operation's counted variants, the default first. */
export function countedFamilies({ variants }: Operation): readonly FamilyName[] {
  return [...new Set(variants.filter(({ counted }) => counted).map(({ family }) => family))];
}

export function operation(id: string): Operation {
  const entry = operationsById().get(id);
  if (!entry) throw new UnknownOperation(`Operation ${id} is not in openapi.json or an active extension.`);
  return entry;
}

/** `path` has no query. A fixed segment wins over a parameter: POST to `/v1/threads/runs` modifies no thread. */
export function matchOperation(method: string, path: string): PathMatch | null {
  return match(pathIndex(), method, path);
}

export function matchAlternativePath(method: string, path: string): PathMatch | null {
  return match(otherPathIndex(), method, path);
}

function match(candidates: Candidates, method: string, path: string): PathMatch | null {
  const segments = path.split('/');
  for (const { operation, template } of candidates.get(`${method} ${segments.length}`) ?? []) {
    const parameters = matchTemplate(template, segments);
    if (parameters !== null) return { operation, path: parameters };
  }
  return null;
}

interface Candidate {
  readonly operation: Operation;
  readonly template: PathTemplate;
  readonly parameterCount: number;
}

/** Candidates by method and number of path segments; operations with the fewest parameters first. */
type Candidates = ReadonlyMap<string, readonly Candidate[]>;

function buildIndex(pathOf: (operation: Operation) => string | null): Candidates {
  const candidates = operations().flatMap((operation): readonly Candidate[] => {
    const path = pathOf(operation);
    if (path === null) return [];
    return [{ operation, template: parseTemplate(path), parameterCount: pathParameters({ path }).length }];
  });
  const sorted = candidates.toSorted((a, b) => a.parameterCount - b.parameterCount);
  return groupBy(sorted, ({ operation, template }) => `${operation.method} ${template.length}`);
}

/** Whether a request meets the condition `when`; absent and null fields count as their stated default, or as null. */
export function fulfils(
  when: NonNullable<ResponseShape['when']>,
  request: unknown,
  variant: Pick<Variant, 'body'>,
): boolean {
  return Object.entries(when).every(([field, values]) => {
    const value = isObject(request) && Object.hasOwn(request, field) ? request[field] : undefined;
    return values.includes(value ?? defaultOf(variant, field));
  });
}

function defaultOf({ body }: Pick<Variant, 'body'>, field: string): unknown {
  const properties = body === null ? undefined : schema(body.schema)['properties'];
  const stated = isObject(properties) ? properties[field] : undefined;
  return isObject(stated) ? (stated['default'] ?? null) : null;
}
