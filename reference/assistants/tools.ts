import { schemaKey } from '../../schemas/index.ts';
import { checkFiles } from '../files/file-store.ts';
import { ApiError, shorten } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import type { Version } from '../http/route.ts';
import { compilePartCheck } from '../http/validation.ts';
import { createOrUndo } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import { createStore, storesOf } from '../vector-stores/stores.ts';

export type Tool =
  | { readonly type: 'code_interpreter' }
  | { readonly type: 'file_search' }
  | { readonly type: 'function'; readonly function: FunctionTool };

/** A tool in a request or response: file search is `retrieval` under v1 and `file_search` under v2. */
export type WireTool = Tool | { readonly type: 'retrieval' };

interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** `auto`, or an object such as `{type: 'json_object'}`. */
export type ResponseFormat = string | { readonly type: string };

export interface ToolResources {
  code_interpreter?: { file_ids: string[] };
  file_search?: { vector_store_ids: string[] };
}

/** Tool resources in a request; `vector_stores`, which the specification lacks but clients send, creates stores. */
export interface WireResources {
  readonly code_interpreter?: { readonly file_ids?: readonly string[] };
  readonly file_search?: {
    readonly vector_store_ids?: readonly string[];
    readonly vector_stores?: readonly {
      readonly file_ids?: readonly string[];
      readonly metadata?: Metadata;
    }[];
  };
}

const checkStores = compilePartCheck({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      file_ids: { type: 'array', items: { type: 'string' } },
      metadata: { $ref: schemaKey('metadata') },
    },
  },
});

/** Creates requested stores; returns the resources to keep. `place` is their path in the body. @throws ApiError 400 */
export function resolveResources(
  service: Service,
  wire: WireResources | null | undefined,
  place = 'tool_resources',
): ToolResources {
  const resources: ToolResources = {};
  if (wire?.code_interpreter !== undefined) {
    const { file_ids = [] } = wire.code_interpreter;
    checkFiles(service, file_ids, `${place}.code_interpreter.file_ids`);
    resources.code_interpreter = { file_ids: [...file_ids] };
  }
  if (wire?.file_search !== undefined) {
    const { vector_store_ids = [], vector_stores = [] } = wire.file_search;
    checkStoreIds(service, vector_store_ids, `${place}.file_search.vector_store_ids`);
    checkStores(vector_stores, `${place}.file_search.vector_stores`);
    const at = (n: number) => `${place}.file_search.vector_stores[${n}].`;
    const createStores = () =>
      vector_stores.map(
        ({ file_ids = [], metadata = {} }, n) => createStore(service, { file_ids, metadata }, at(n)).id,
      );
    const storeIds = createOrUndo([storesOf(service)], createStores);
    resources.file_search = { vector_store_ids: [...vector_store_ids, ...storeIds] };
  }
  return resources;
}

function checkStoreIds(service: Service, ids: readonly string[], place: string): void {
  for (const [n, id] of ids.entries()) {
    if (storesOf(service).get(id) !== undefined) continue;
    const param = `${place}[${n}]`;
    throw ApiError.invalid(param, `'${param}' names no vector store: '${shorten(id)}'.`);
  }
}

export const toStoredTools = (tools: readonly WireTool[]): readonly Tool[] =>
  tools.map((tool) => (tool.type === 'retrieval' ? { type: 'file_search' } : tool));

export const showTools = (tools: readonly Tool[], version: Version): readonly WireTool[] =>
  version === 'v2'
    ? tools
    : tools.map((tool) => (tool.type === 'file_search' ? { type: 'retrieval' } : tool));
