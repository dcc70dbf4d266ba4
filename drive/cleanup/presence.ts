import type { Json } from '../../exchange/http/body.ts';
import { type Operation, operation as operationOf, operations } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { isUnknownPath } from '../preflight/response-shape.ts';
import { callResultOf, requestOf, valueAt } from '../scenario/call-result.ts';
import type { CallInput } from '../scenario/scenario.ts';
import type { CleanupTarget } from './cleanup-target.ts';

/** Whether an object is on the target: shown by a request that returns it, shown to be gone, or neither. */
export type Presence =
  | { readonly state: 'present'; readonly by: { readonly method: string; readonly path: string } }
  | { readonly state: 'gone' | 'unknown' };

/** Largest number of list pages that are searched for one object. */
const PAGES = 50;

/**
 * Looks for the object that `deletion` should have removed: by its retrieve operation, then in the list of its kind. A 404
 * that any unknown path gets shows nothing, as the target may have no such operation.
 */
export async function presenceOf(
  deletion: { readonly operation: string; readonly parameter: string },
  id: string,
  target: CleanupTarget,
): Promise<Presence> {
  const { path } = operationOf(deletion.operation);
  const retrieve = operations().find((other) => other.method === 'GET' && other.path === path);
  if (retrieve !== undefined) {
    const { exchange, ...answer } = callResultOf(
      await target.call(retrieve.id, { path: { [deletion.parameter]: id } }),
    );
    // A web application may answer each path with the same page.
    if (answer.ok)
      return isJsonObject(answer.json) ? { state: 'present', by: requestOf(exchange) } : { state: 'unknown' };
    const isMissing = answer.status === 404 || answer.status === 410;
    if (isMissing && !(await isUnknown(exchange, target))) return { state: 'gone' };
  }
  const list = listOf(path.slice(0, path.lastIndexOf('/')));
  return list === undefined ? { state: 'unknown' } : searchList(list, id, target);
}

/** Whether an answer is the one of any unknown path; true as well where the target does not answer that comparison. */
async function isUnknown(
  exchange: Parameters<typeof isUnknownPath>[0],
  target: CleanupTarget,
): Promise<boolean> {
  const unknown = await target.unknownPath();
  return unknown.response === null || isUnknownPath(exchange, unknown);
}

async function searchList(list: Operation, id: string, target: CleanupTarget): Promise<Presence> {
  for await (const page of listPages(list, target)) {
    if (page.elements === null) return { state: 'unknown' };
    const isListed = page.elements.some((element) => valueAt(element, '/id') === id);
    if (isListed) return { state: 'present', by: page.request };
  }
  return { state: 'gone' };
}

/** The operation that lists what is created at a path; undefined for none. */
export function listOf(path: string): Operation | undefined {
  return operations().find((other) => other.method === 'GET' && other.path === path && other.list !== null);
}

/** A page of a list; `elements` is null where the answer is not a list, or the rest of the list cannot be read. */
export interface SearchedPage {
  readonly request: { readonly method: string; readonly path: string };
  readonly elements: readonly Json[] | null;
}

/**
 * The pages of a list, at most 50. Ends without a page whose `elements` are null only where it is sure that the list has no
 * more: then an object that is on no page is not on the target.
 */
export async function* listPages(list: Operation, { call }: CleanupTarget): AsyncGenerator<SearchedPage> {
  const most = list.parameters.some(({ name }) => name === 'after') ? PAGES : 1;
  let query: CallInput['query'] = {};
  for (let page = 1; ; page++) {
    const result = callResultOf(await call(list.id, { query }));
    const request = requestOf(result.exchange);
    const data = result.ok ? valueAt(result.json, '/data') : undefined;
    if (!Array.isArray(data)) return yield { request, elements: null };
    const elements: readonly Json[] = data;
    yield { request, elements };
    const more = valueAt(result.json, '/has_more');
    if (more === false || (isUnpaged(list) && isWhole(result.json, elements.length))) return;
    const last = valueAt(elements.at(-1), '/id');
    // The rest cannot be read, so that the list does not show what is missing.
    if (more !== true || page >= most || typeof last !== 'string') return yield { request, elements: null };
    query = { after: last };
  }
}

/** Whether the specification gives a list no pages: files and models. */
export function isUnpaged({ list, parameters }: Operation): boolean {
  return list !== null && list.cursors.length === 0 && !parameters.some(({ name }) => name === 'limit');
}

/**
 * Whether an answer to an unpaged list looks like all of it. The target may page it nevertheless: then the answer has further
 * fields (a cursor, a total), or as many elements as a page of another list.
 */
function isWhole(answer: Json | undefined, length: number): boolean {
  const hasOnlyElements =
    isJsonObject(answer) && Object.keys(answer).every((field) => field === 'object' || field === 'data');
  const isPageSize = operations().some(
    ({ list }) => list?.defaultLimit === length || list?.maxLimit === length,
  );
  return hasOnlyElements && !isPageSize;
}
