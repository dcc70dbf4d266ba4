import { checkFiles } from '../file-reference.ts';
import { Refusal, shorten } from '../refusal.ts';
import type { ToolResources } from '../runs/objects.ts';
import type { Service } from '../service.ts';
import { createStore, storesOf } from '../vectors/store.ts';

/** Tool resources as callers write them; `vector_stores` asks for new stores, which is customary on creation. */
export interface WireResources {
  readonly code_interpreter?: { readonly file_ids?: readonly string[] };
  readonly file_search?: {
    readonly vector_store_ids?: readonly string[];
    readonly vector_stores?: readonly NewStore[];
  };
}

interface NewStore {
  readonly file_ids?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * The resources to keep.
 * @throws Refusal 400 for a file or a vector store that does not exist.
 */
export function takeResources(service: Service, wire: WireResources | null | undefined): ToolResources {
  const kept: ToolResources = {};
  const fileIds = wire?.code_interpreter?.file_ids;
  if (fileIds !== undefined) {
    checkFiles(service, fileIds, 'tool_resources.code_interpreter.file_ids');
    kept.code_interpreter = { file_ids: [...fileIds] };
  } else if (wire?.code_interpreter !== undefined) kept.code_interpreter = { file_ids: [] };
  if (wire?.file_search !== undefined) {
    const { vector_store_ids = [], vector_stores = [] } = wire.file_search;
    for (const [n, id] of vector_store_ids.entries()) {
      if (storesOf(service).get(id) !== undefined) continue;
      const param = `tool_resources.file_search.vector_store_ids[${n}]`;
      throw Refusal.invalid(param, `'${param}' names no vector store: '${shorten(id)}'.`);
    }
    const made = vector_stores.map((asked) => createStore(service, asked).id);
    kept.file_search = { vector_store_ids: [...vector_store_ids, ...made] };
  }
  return kept;
}
