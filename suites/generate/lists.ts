import { subjectOf } from '../../judge/probe/request-constraints.ts';
import {
  type ListTraits,
  type Operation,
  ownOperations,
  pathParameters,
  schema,
  type Variant,
} from '../../schemas/index.ts';
import { computeOnce } from '../rows/on-first-use.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import type { Call } from '../vocabulary/types.ts';

export type ListOrder = 'asc' | 'desc';

export interface ListRow {
  readonly subject: string;
  readonly operation: Operation;
  readonly variant: Variant;
  readonly isVersioned: boolean;
  readonly traits: ListTraits;
  readonly hasLimit: boolean;
  /** The fields of a page, such as `data` and `has_more`. */
  readonly envelope: readonly string[];
  /** The path parameters, which name the owners of the list. */
  readonly parents: readonly string[];
  /** The operation that creates an element by a POST to the path of the list. */
  readonly create: string | null;
  /** Other operations that may remove or add an element, delete what one contains, or modify or delete the owner. */
  readonly changedBy: readonly string[];
}

export const listRows = computeOnce((): readonly ListRow[] =>
  ownOperations().flatMap((operation) => {
    const { list, variants } = operation;
    if (list === null) return [];
    const counted = variants.filter((variant) => variant.counted);
    return counted.map((variant) => makeRow(operation, list, variant, counted.length > 1));
  }),
);

function makeRow(operation: Operation, traits: ListTraits, variant: Variant, isVersioned: boolean): ListRow {
  const { path } = operation;
  return {
    subject: subjectOf(operation, variant),
    operation,
    variant,
    isVersioned,
    traits,
    hasLimit: operation.parameters.some(({ name }) => name === 'limit'),
    envelope: envelopeOf(variant),
    parents: pathParameters(operation),
    create: ownOperations().find((other) => other.method === 'POST' && other.path === path)?.id ?? null,
    changedBy: ownOperations()
      .filter((other) => mayChangeList(other, path))
      .map(({ id }) => id),
  };
}

function envelopeOf(variant: Variant): readonly string[] {
  const name = variant.answers[0]?.schema;
  const properties = name === null || name === undefined ? null : schema(name)['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function mayChangeList({ method, path }: Operation, list: string): boolean {
  const isOwner = list.startsWith(`${path}/`) && path.endsWith('}');
  if (method === 'POST') return isOwner || (path !== list && isAddition(path, list));
  if (method !== 'DELETE') return false;
  const isElement = path.startsWith(`${list}/`);
  // In a list of files, deleting the file itself, or its copy in the same store, may remove the element.
  const isFile = list.endsWith('/files') && (path === '/v1/files/{file_id}' || isSibling(path, list));
  return isOwner || isElement || isFile;
}

function isAddition(path: string, list: string): boolean {
  const store = '/v1/vector_stores/{vector_store_id}';
  return list.startsWith(`${store}/`) && [`${store}/files`, `${store}/file_batches`].includes(path);
}

function isSibling(path: string, list: string): boolean {
  return path.endsWith('/files/{file_id}') && path.split('/')[2] === list.split('/')[2];
}

/** Whether a response shows all elements that match its filters in one page. */
export function isOnePage(call: Call): boolean {
  const isFromCursor = call.query.has('after') || call.query.has('before');
  return !isFromCursor && hasPositiveLimit(call) && valueAtPath(call.responseJson, 'has_more') === false;
}

/** Whether `limit` is absent or at least 1: the specification leaves open what a page with any other shows. */
export function hasPositiveLimit({ query }: Call): boolean {
  return Number(query.get('limit') ?? 1) >= 1;
}

export function isWholeList(call: Call): boolean {
  return isOnePage(call) && (call.operation.list?.filters ?? []).every((name) => !call.query.has(name));
}

export const asWholeList = that<{ readonly after: Call }>('that is the whole list', ({ after }) =>
  isWholeList(after),
);
