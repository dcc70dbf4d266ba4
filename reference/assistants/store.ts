import { filesOf } from '../files/file-store.ts';
import type { Metadata, ResponseFormat, Tool, ToolResources } from '../runs/objects.ts';
import { ApiError } from '../server/api-error.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';
import { shownTools, type Version } from './tools.ts';

/** 1 Assistant file. Under v1 `file_ids` lists the attached files, oldest first. */
export interface AssistantFile {
  readonly id: string;
  readonly object: 'assistant.file';
  readonly created_at: number;
  readonly assistant_id: string;
}

/** A stored assistant: v1 shows `files`, v2 `tool_resources`. */
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
  /** Null where none was given, if the service shows it so. */
  temperature: number | null;
  top_p: number | null;
  response_format: ResponseFormat;
  readonly files: Collection<AssistantFile>;
}

/** 1 Limits: files of an assistant. */
export const mostFiles = 20;

/** The assistants of a service. */
export const assistantsOf: (service: Service) => Collection<Assistant> = perService(
  () => new Collection<Assistant>(),
);

/** @throws ApiError 404 when the assistant does not exist. */
export function needAssistant(service: Service, id: string): Assistant {
  const assistant = assistantsOf(service).get(id);
  if (assistant === undefined) throw ApiError.missing('assistant', id);
  return assistant;
}

/** Attaches a file; one that is attached already stays as it is. */
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

/** An assistant in the form of a version (1 Assistant object). */
export function showAssistant(assistant: Assistant, version: Version) {
  const { files, tools, tool_resources, ...fields } = assistant;
  const form = version === 'v1' ? { file_ids: files.values().map(({ id }) => id) } : { tool_resources };
  return { object: 'assistant', ...fields, tools: shownTools(tools, version), ...form };
}
