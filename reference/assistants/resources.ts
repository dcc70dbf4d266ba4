import { schemaKey } from '../../schemas/index.ts';
import { checkFiles } from '../files/file-reference.ts';
import type { ToolResources } from '../runs/objects.ts';
import { ApiError, shorten } from '../server/api-error.ts';
import { partCheck } from '../server/validation.ts';
import type { Service } from '../state/service.ts';
import { createStore, storesOf } from '../vector-stores/store.ts';

/** Tool resources in a request; the customary `vector_stores` creates stores. */
export interface WireResources {
  readonly code_interpreter?: { readonly file_ids?: readonly string[] };
  readonly file_search?: {
    readonly vector_store_ids?: readonly string[];
    readonly vector_stores?: readonly NewStore[];
  };
}

/** A vector store to create. */
interface NewStore {
  readonly file_ids?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
}

const checkStores = partCheck({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      file_ids: { type: 'array', items: { type: 'string' } },
      metadata: { $ref: schemaKey('metadata') },
    },
  },
});

/**
 * The resources to store; `place` is their path in the body.
 * @throws ApiError 400 for a file or a vector store that does not exist.
 */
export function takeResources(
  service: Service,
  wire: WireResources | null | undefined,
  place = 'tool_resources',
): ToolResources {
  const kept: ToolResources = {};
  if (wire?.code_interpreter !== undefined) {
    const { file_ids = [] } = wire.code_interpreter;
    checkFiles(service, file_ids, `${place}.code_interpreter.file_ids`);
    kept.code_interpreter = { file_ids: [...file_ids] };
  }
  if (wire?.file_search !== undefined) {
    const { vector_store_ids = [], vector_stores = [] } = wire.file_search;
    checkStoreIds(service, vector_store_ids, `${place}.file_search.vector_store_ids`);
    checkStores(vector_stores, `${place}.file_search.vector_stores`);
    const made = vector_stores.map((asked) => createStore(service, asked).id);
    kept.file_search = { vector_store_ids: [...vector_store_ids, ...made] };
  }
  return kept;
}

function checkStoreIds(service: Service, ids: readonly string[], place: string): void {
  for (const [n, id] of ids.entries()) {
    if (storesOf(service).get(id) !== undefined) continue;
    const param = `${place}[${n}]`;
    throw ApiError.invalid(param, `'${param}' names no vector store: '${shorten(id)}'.`);
  }
}
