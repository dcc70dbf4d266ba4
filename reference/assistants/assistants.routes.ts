// Assistants in both forms: v1 shows `file_ids`, v2 `tool_resources`. Files can be attached under v1 only (1 Assistant
// files).

import { checkFile, checkFiles, existingFiles, filesOf } from '../files/file-store.ts';
import { ApiError, existing } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { type HandlerRequest, type Routes, serves, versionOf } from '../http/route.ts';
import { modelsOf } from '../model/catalogue.ts';
import { Collection } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import {
  type Assistant,
  type AssistantFile,
  assistantsOf,
  attach,
  mostFiles,
  needAssistant,
  type ResponseFormat,
  setFiles,
  showAssistant,
  storedTools,
  takeResources,
  type WireResources,
  type WireTool,
} from './store.ts';

interface Fields {
  /** Required on creation, which the request schema checks. */
  readonly model?: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly instructions?: string | null;
  readonly tools?: readonly WireTool[];
  readonly metadata?: Metadata | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly response_format?: ResponseFormat | null;
  /** v1: ids of files with the purpose `assistants`. */
  readonly file_ids?: readonly string[];
  readonly tool_resources?: WireResources | null;
}

const assistantRoutes: Routes = (service) => {
  const assistants = assistantsOf(service);
  return [
    serves<Fields>('createAssistant', (request) => {
      const assistant = blankAssistant(service);
      change(service, assistant, ownFields(request));
      return showAssistant(assistants.add(assistant), versionOf(request));
    }),
    serves('listAssistants', (request) =>
      listEnvelope(listPage(assistants, request.query), (assistant) =>
        showAssistant(assistant, versionOf(request)),
      ),
    ),
    serves('retrieveAssistant', (request) =>
      showAssistant(needAssistant(service, request.path['assistant_id'] ?? ''), versionOf(request)),
    ),
    serves<Fields>('modifyAssistant', (request) => {
      const assistant = needAssistant(service, request.path['assistant_id'] ?? '');
      change(service, assistant, ownFields(request));
      return showAssistant(assistant, versionOf(request));
    }),
    // The threads and runs of a deleted assistant stay.
    serves('deleteAssistant', ({ path }) => {
      const { id } = needAssistant(service, path['assistant_id'] ?? '');
      assistants.delete(id);
      return { id, object: 'assistant.deleted', deleted: true };
    }),
  ];
};

function blankAssistant(service: Service): Assistant {
  return {
    id: service.id('asst_'),
    created_at: service.now(),
    name: null,
    description: null,
    model: '',
    instructions: null,
    tools: [],
    tool_resources: {},
    metadata: {},
    temperature: 1,
    top_p: 1,
    response_format: 'auto',
    files: new Collection(),
  };
}

function ownFields(request: HandlerRequest<Fields>): Fields {
  const { file_ids, tool_resources, ...both } = request.body;
  if (versionOf(request) === 'v1') return file_ids === undefined ? both : { ...both, file_ids };
  return tool_resources === undefined ? both : { ...both, tool_resources };
}

function checkedIds(service: Service, ids: readonly string[] = []): readonly string[] {
  // A longer list is rejected for its length before any file is looked up.
  const first = ids.slice(0, mostFiles);
  return service.takes('assistants.create.unknown-file') === 'refused'
    ? first
    : existingFiles(service, first);
}

/**
 * Assigns the given fields; null resets a field to its default. @throws ApiError when one of them is invalid; then
 * nothing has changed.
 */
function change(service: Service, assistant: Assistant, fields: Fields): void {
  const { model = assistant.model, file_ids, tool_resources } = fields;
  modelsOf(service).need(model, 'chat');
  checkFiles(service, checkedIds(service, file_ids), 'file_ids', 'assistants');
  const resources =
    tool_resources === undefined ? assistant.tool_resources : takeResources(service, tool_resources);
  // Undefined: omitted; null: reset.
  const kept = <T>(sent: T | null | undefined, before: T, byDefault: T): T =>
    sent === undefined ? before : (sent ?? byDefault);
  assistant.model = model;
  assistant.name = kept(fields.name, assistant.name, null);
  assistant.description = kept(fields.description, assistant.description, null);
  assistant.instructions = kept(fields.instructions, assistant.instructions, null);
  if (fields.tools !== undefined) assistant.tools = storedTools(fields.tools);
  assistant.tool_resources = resources;
  assistant.metadata = kept(fields.metadata, assistant.metadata, {});
  assistant.temperature = kept(fields.temperature, assistant.temperature, 1);
  assistant.top_p = kept(fields.top_p, assistant.top_p, 1);
  assistant.response_format = kept(fields.response_format, assistant.response_format, 'auto');
  if (file_ids !== undefined) setFiles(service, assistant, file_ids);
}

// Detaching a file keeps the upload, unless a choice says otherwise.

const fileRoutes: Routes = (service) => [
  // Attaching a file twice returns the first attachment, even when the limit is reached.
  serves<{ readonly file_id: string }>('createAssistantFile', ({ path, body }) => {
    // Parent first: for an unknown assistant the error names the assistant, not the file.
    const assistant = needAssistant(service, path['assistant_id'] ?? '');
    checkFile(service, body.file_id, 'file_id', 'assistants');
    if (assistant.files.size >= mostFiles && assistant.files.get(body.file_id) === undefined) {
      throw ApiError.invalid('file_id', `The assistant has ${mostFiles} files already; detach one first.`);
    }
    return attach(service, assistant, body.file_id);
  }),
  serves('listAssistantFiles', ({ path, query }) => {
    const { files } = needAssistant(service, path['assistant_id'] ?? '');
    return listEnvelope(listPage(files, query), (file) => file);
  }),
  serves('retrieveAssistantFile', (request) => needAttached(request).file),
  serves('deleteAssistantFile', async (request) => {
    const { assistant, file } = needAttached(request);
    assistant.files.delete(file.id);
    // The specification does not state whether the upload outlives its last use.
    const stored = filesOf(service).get(file.id);
    if (stored !== undefined && service.takes('assistant-files.delete.file-stays') === 'gone')
      await filesOf(service).delete(stored);
    return { id: file.id, object: 'assistant.file.deleted', deleted: true };
  }),
];

function needAttached({ service, path }: HandlerRequest): { assistant: Assistant; file: AssistantFile } {
  const assistant = needAssistant(service, path['assistant_id'] ?? '');
  const { file_id: id = '' } = path;
  return { assistant, file: existing(assistant.files.get(id), 'file of this assistant', id) };
}

export const routes: Routes = (service) => [...assistantRoutes(service), ...fileRoutes(service)];
