import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { type Operation, operations } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { isUnknownPath } from '../preflight/preflight-client.ts';
import { callResultOf, requestOf, valueAt } from '../scenario/call-result.ts';
import type { CallInput } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import { findListOperation, firstParameterOf } from './deletion-plan.ts';

const MAX_LIST_PAGES = 50;

/** The requests of a cleanup. A missing response is no error: `response` is null. */
export interface PresenceTarget {
  /** `operation` is an operation id, such as `deleteFile`. */
  readonly call: (operation: string, input: CallInput) => Promise<Exchange>;
  readonly fetchUnknownPath: () => Promise<Pick<IncomingResponse, 'response'>>;
}

type Presence =
  | { readonly state: 'present'; readonly by: { readonly method: string; readonly path: string } }
  | { readonly state: 'gone' | 'unknown' };

/** A 404 that an unknown path gets as well proves nothing, because the target may lack the operation. */
export async function findPresence(
  deletion: Operation,
  id: string,
  target: PresenceTarget,
): Promise<Presence> {
  const retrieve = operations().find(({ method, path }) => method === 'GET' && path === deletion.path);
  if (retrieve !== undefined) {
    const input = { path: { [firstParameterOf(deletion)]: id } };
    const { exchange, ...result } = callResultOf(await target.call(retrieve.id, input));
    // A web application may answer every path with the same page.
    if (result.ok)
      return isJsonObject(result.json) ? { state: 'present', by: requestOf(exchange) } : { state: 'unknown' };
    if (result.status === 404 || result.status === 410) {
      const unknown = await target.fetchUnknownPath();
      if (unknown.response !== null && !isUnknownPath(exchange, unknown)) return { state: 'gone' };
    }
  }
  const list = findListOperation(deletion.path.slice(0, deletion.path.lastIndexOf('/')));
  if (list === undefined) return { state: 'unknown' };
  for await (const { request, elements } of listPages(list, target)) {
    if (elements === null) return { state: 'unknown' };
    if (elements.some((element) => valueAt(element, '/id') === id)) return { state: 'present', by: request };
  }
  return { state: 'gone' };
}

/** A page of a list; `elements` is null if the response is not a list, or the rest of the list cannot be read. */
interface ListPage {
  readonly request: { readonly method: string; readonly path: string };
  readonly elements: readonly Json[] | null;
}

/** If no page has null `elements`, the list is complete: an object that it lacks is gone. */
export async function* listPages(list: Operation, { call }: PresenceTarget): AsyncGenerator<ListPage> {
  const maxPages = list.parameters.some(({ name }) => name === 'after') ? MAX_LIST_PAGES : 1;
  let query: CallInput['query'] = {};
  for (let page = 1; ; page++) {
    const result = callResultOf(await call(list.id, { query }));
    const request = requestOf(result.exchange);
    const data = result.ok ? valueAt(result.json, '/data') : undefined;
    if (!Array.isArray(data)) return yield { request, elements: null };
    const elements: readonly Json[] = data;
    yield { request, elements };
    const hasMore = valueAt(result.json, '/has_more');
    if (hasMore === false || (isUnpaged(list) && looksComplete(result.json, elements.length))) return;
    const lastId = valueAt(elements.at(-1), '/id');
    if (hasMore !== true || page >= maxPages || typeof lastId !== 'string')
      return yield { request, elements: null };
    query = { after: lastId };
  }
}

export function isUnpaged({ list, parameters }: Operation): boolean {
  return list !== null && list.cursors.length === 0 && !parameters.some(({ name }) => name === 'limit');
}

/** A target that paginates adds fields or returns exactly a usual page size. */
function looksComplete(body: Json | undefined, length: number): boolean {
  const hasOnlyElements =
    isJsonObject(body) && Object.keys(body).every((field) => field === 'object' || field === 'data');
  const isPageLength = operations().some(
    ({ list }) => list?.defaultLimit === length || list?.maxLimit === length,
  );
  return hasOnlyElements && !isPageLength;
}
