// The table of operations, and which of them a request belongs to.
import type { FamilyName, Operation } from './contract.ts';
import { readOperationTable } from './specification/rows.ts';
import { extensions, perSpecification } from './specification/specification.ts';

/** Thrown for an id that `openapi.json` does not contain. */
export class UnknownOperation extends Error {
  override name = 'UnknownOperation';
}

/** The operation of a request, and the values of its path parameters, decoded. */
export interface PathMatch {
  readonly operation: Operation;
  /** Path parameters by name, percent-decoded. */
  readonly path: Readonly<Record<string, string>>;
}

let table: readonly Operation[] | undefined;

/** The operations that come with assay, in the order of openapi.json. */
export function ownOperations(): readonly Operation[] {
  table ??= readOperationTable();
  return table;
}

/** All operations: those of assay, then those of the extensions in effect. */
export const operations = perSpecification((): readonly Operation[] => [
  ...ownOperations(),
  ...extensions().flatMap((extension) => extension.operations),
]);

const operationsById = perSpecification(
  (): ReadonlyMap<string, Operation> => new Map(operations().map((each) => [each.id, each])),
);
const candidates = perSpecification(() => candidatesBy(({ path }) => path));
const elsewhere = perSpecification(() => candidatesBy(({ otherPath }) => otherPath));

/** Every family that an operation belongs to, in the order of the table of operations. */
export function families(): readonly FamilyName[] {
  return [...new Set(operations().flatMap(({ variants }) => variants.map(({ family }) => family)))];
}

/** The operation of an id. Throws UnknownOperation. */
export function operation(id: string): Operation {
  const found = operationsById().get(id);
  if (!found) throw new UnknownOperation(`Operation ${id} is not in openapi.json.`);
  return found;
}

/**
 * The operation that a method and a path (`/v1/files/file-1`, no query) belong to, or null.
 * A fixed segment wins over a parameter: `/v1/threads/runs` does not name a thread called `runs`.
 */
export function matchOperation(method: string, path: string): PathMatch | null {
  return match(candidates(), method, path);
}

/** The operation whose path is this one in the other spelling, or null. */
export function matchAlternativePath(method: string, path: string): PathMatch | null {
  return match(elsewhere(), method, path);
}

function match(from: Candidates, method: string, path: string): PathMatch | null {
  const asked = path.split('/');
  const found = from.get(`${method} ${asked.length}`)?.find(({ template }) => fits(template, asked));
  return found === undefined ? null : { operation: found.operation, path: parametersOf(found, asked) };
}

interface Candidate {
  readonly operation: Operation;
  /** The segments of its path: a text, or the name of a parameter. */
  readonly template: readonly Segment[];
  /** How many of the segments are parameters. */
  readonly parameters: number;
}

type Segment = { readonly fixed: string } | { readonly parameter: string };

/** Operations by their method and the number of segments in their paths; those with the fewest parameters first. */
type Candidates = ReadonlyMap<string, readonly Candidate[]>;

function candidatesBy(pathOf: (operation: Operation) => string | null): Candidates {
  const found = new Map<string, readonly Candidate[]>();
  for (const operation of operations()) {
    const template = pathOf(operation)
      ?.split('/')
      .map((part): Segment => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { fixed: part }));
    if (template === undefined) continue;
    const key = `${operation.method} ${template.length}`;
    const parameters = template.filter((segment) => 'parameter' in segment).length;
    const others = [...(found.get(key) ?? []), { operation, template, parameters }];
    found.set(
      key,
      others.sort((a, b) => a.parameters - b.parameters),
    );
  }
  return found;
}

/** Whether the segments of a path are those of a template; the value of a parameter is not empty. */
function fits(template: readonly Segment[], asked: readonly string[]): boolean {
  for (let index = 0; index < template.length; index += 1) {
    const segment = template[index];
    const given = asked[index] ?? '';
    if (segment === undefined || ('fixed' in segment ? segment.fixed !== given : given === '')) return false;
  }
  return true;
}

/** The values of the parameters in a path that fits. */
function parametersOf({ template }: Candidate, asked: readonly string[]): Readonly<Record<string, string>> {
  const path: Record<string, string> = {};
  for (const [index, segment] of template.entries())
    if ('parameter' in segment) path[segment.parameter] = decodedSegment(asked[index] ?? '');
  return path;
}

/** A percent-decoded path segment; the segment itself if its escapes are invalid. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
