import { subjectOf } from '../../../judge/probe/constraints.ts';
import {
  type ListTraits,
  type Operation,
  ownOperations,
  schema,
  type Variant,
} from '../../../schemas/index.ts';

/** One list of the specification; where it counts in two forms, one of them. */
export interface ListRow {
  /** First part of the ids: `listMessages`, `listAssistants.v1`. */
  readonly subject: string;
  readonly operation: Operation;
  readonly variant: Variant;
  /** True where another form of the same list counts, too. */
  readonly isOneOfTwo: boolean;
  readonly traits: ListTraits;
  /** Whether the operation has the query parameter `limit`. */
  readonly takesLimit: boolean;
  /** Fields of its envelope beside the data. */
  readonly envelope: readonly string[];
  /** Names of the path parameters that say whose list it is. */
  readonly parents: readonly string[];
  /** The operation that makes an element, where it has the address of the list. */
  readonly create: string | null;
  /** Operations that take an element away, or change or delete what the list hangs on. */
  readonly disturb: readonly string[];
}

/** Computed once: `openapi.json` does not change during a run. */
let rows: readonly ListRow[] | undefined;

/** Every list, in the order of `openapi.json`. */
export function listRows(): readonly ListRow[] {
  rows ??= ownOperations().flatMap((operation) => {
    const counted = operation.variants.filter((variant) => variant.counted);
    return operation.list === null ? [] : counted.map((variant) => rowOf(operation, variant, counted));
  });
  return rows;
}

function rowOf(operation: Operation, variant: Variant, counted: readonly Variant[]): ListRow {
  const { list: traits, path } = operation;
  if (traits === null) throw new Error(`${operation.id} is not a list.`);
  return {
    subject: subjectOf(operation, variant),
    operation,
    variant,
    isOneOfTwo: counted.length > 1,
    traits,
    takesLimit: operation.parameters.some(({ name }) => name === 'limit'),
    envelope: envelopeOf(variant),
    parents: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    create: ownOperations().find((other) => other.method === 'POST' && other.path === path)?.id ?? null,
    disturb: ownOperations()
      .filter((other) => disturbs(other, path))
      .map(({ id }) => id),
  };
}

/** Property names of the envelope's schema; empty where the response has none. */
function envelopeOf(variant: Variant): readonly string[] {
  const name = variant.answers[0]?.schema;
  const properties = name === null || name === undefined ? null : schema(name)['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

/**
 * A deletion of an element, a deletion or modification of an owner, the deletion of what elements stand for, and what may
 * add an element once more.
 */
function disturbs({ method, path }: Operation, list: string): boolean {
  const isOwner = list.startsWith(`${path}/`) && path.endsWith('}');
  if (method === 'POST') return isOwner || (path !== list && isAddition(path, list));
  if (method !== 'DELETE') return false;
  const isElement = path.startsWith(`${list}/`);
  // An element of these is a file by its id; it may also go with the file, or with the store's copy of it.
  const isFile = list.endsWith('/files') && (path === '/v1/files/{file_id}' || isSibling(path, list));
  return isOwner || isElement || isFile;
}

/** Files are added to a store one by one or as a batch, whichever list shows them. */
function isAddition(path: string, list: string): boolean {
  const store = '/v1/vector_stores/{vector_store_id}';
  return list.startsWith(`${store}/`) && [`${store}/files`, `${store}/file_batches`].includes(path);
}

/** Whether a path is a file of an object of the same kind as the owner of the list. */
function isSibling(path: string, list: string): boolean {
  return path.endsWith('/files/{file_id}') && path.split('/')[2] === list.split('/')[2];
}
