import { schemaKey } from '../../schemas/index.ts';
import { checkFiles, filesOf } from '../files/file-store.ts';
import { ApiError, existing, shorten } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import type { Version } from '../http/route.ts';
import { partCheck } from '../http/validation.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';
import { createStore, storesOf } from '../vector-stores/store.ts';

/** 1 Assistant file. Under v1 `file_ids` lists the attached files, oldest first. */
export interface AssistantFile {
  readonly id: string;
  readonly object: 'assistant.file';
  readonly created_at: number;
  readonly assistant_id: string;
}

export interface Assistant {
  readonly id: string;
  readonly created_at: number;
  name: string | null;
  description: string | null;
  model: string;
  instructions: string | null;
  tools: readonly Tool[];
  tool_resources: ToolResources;
  metadata: Metadata;
  /** Null if the request sets none and the service shows that as null. */
  temperature: number | null;
  top_p: number | null;
  response_format: ResponseFormat;
  readonly files: Collection<AssistantFile>;
}

/** 1 Limits: files of an assistant. */
export const mostFiles = 20;

export const assistantsOf: (service: Service) => Collection<Assistant> = perService(
  () => new Collection<Assistant>(),
);

export function needAssistant(service: Service, id: string): Assistant {
  return existing(assistantsOf(service).get(id), 'assistant', id);
}

export function attach(service: Service, assistant: Assistant, id: string): AssistantFile {
  const known = assistant.files.get(id);
  if (known !== undefined) return known;
  const created_at = service.now();
  return assistant.files.add({ id, object: 'assistant.file', created_at, assistant_id: assistant.id });
}

/** Replaces the files of an assistant: detaches the others, attaches new ones in the order of their creation. */
export function setFiles(service: Service, assistant: Assistant, ids: readonly string[]): void {
  for (const { id } of assistant.files.values()) if (!ids.includes(id)) assistant.files.delete(id);
  const place = (id: string) => filesOf(service).all.place(id) ?? 0;
  const isByAge = service.takes('assistants.files.of-one-request') === 'oldest upload first';
  const ordered = isByAge ? ids.toSorted((a, b) => place(a) - place(b)) : ids;
  for (const id of ordered) attach(service, assistant, id);
}

export function showAssistant(assistant: Assistant, version: Version) {
  const { files, tools, tool_resources, ...fields } = assistant;
  const form = version === 'v1' ? { file_ids: files.values().map(({ id }) => id) } : { tool_resources };
  return { object: 'assistant', ...fields, tools: shownTools(tools, version), ...form };
}

/** A tool as v2 names it; v1 shows `file_search` as `retrieval`. */
export type Tool =
  | { readonly type: 'code_interpreter' }
  | { readonly type: 'file_search' }
  | { readonly type: 'function'; readonly function: FunctionTool };

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

/** Tool resources in a request; the customary member `vector_stores` creates stores. */
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

/** A tool in a request: file search is `retrieval` under v1 and `file_search` under v2. */
export type WireTool = Tool | { readonly type: 'retrieval' };

export const storedTools = (tools: readonly WireTool[]): readonly Tool[] =>
  tools.map((tool) => (tool.type === 'retrieval' ? { type: 'file_search' } : tool));

export const shownTools = (tools: readonly Tool[], version: Version): readonly WireTool[] =>
  version === 'v2'
    ? tools
    : tools.map((tool) => (tool.type === 'file_search' ? { type: 'retrieval' } : tool));
