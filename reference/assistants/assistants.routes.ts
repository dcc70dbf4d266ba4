// Assistants in both forms: v1 shows `file_ids`, v2 `tool_resources`. Only v1 can attach files (1 Assistant files).
import { checkFile, filesOf } from '../files/file-store.ts';
import { ApiError, requireObject } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { type HandlerRequest, type Routes, serves, type Version, versionOf } from '../http/route.ts';
import { modelsOf } from '../model/catalogue.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';
import {
  type ResponseFormat,
  resolveResources,
  showTools,
  type Tool,
  type ToolResources,
  toStoredTools,
  type WireResources,
  type WireTool,
} from './tools.ts';

/** Maximum number of files of one assistant (1 Limits). */
const MAX_FILES = 20;
export const routes: Routes = (service) => [...assistantRoutes(service), ...fileRoutes(service)];

interface AssistantFields {
  /** Required by the request schema on creation. */
  readonly model?: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly instructions?: string | null;
  readonly tools?: readonly WireTool[];
  readonly metadata?: Metadata | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly response_format?: ResponseFormat | null;
  readonly file_ids?: readonly string[];
  readonly tool_resources?: WireResources | null;
}

const assistantRoutes: Routes = (service) => {
  const assistants = assistantsOf(service);
  return [
    serves<AssistantFields>('createAssistant', (request) => {
      const assistant = createBlankAssistant(service);
      changeAssistant(service, assistant, fieldsOfVersion(request));
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
    serves<AssistantFields>('modifyAssistant', (request) => {
      const assistant = needAssistant(service, request.path['assistant_id'] ?? '');
      changeAssistant(service, assistant, fieldsOfVersion(request));
      return showAssistant(assistant, versionOf(request));
    }),
    serves('deleteAssistant', ({ path }) => {
      const { id } = needAssistant(service, path['assistant_id'] ?? '');
      assistants.delete(id);
      return { id, object: 'assistant.deleted', deleted: true };
    }),
  ];
};

function createBlankAssistant(service: Service): Assistant {
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

function fieldsOfVersion(request: HandlerRequest<AssistantFields>): AssistantFields {
  const { file_ids, tool_resources, ...common } = request.body;
  if (versionOf(request) === 'v1') return file_ids === undefined ? common : { ...common, file_ids };
  return tool_resources === undefined ? common : { ...common, tool_resources };
}

function checkFilesToAttach(service: Service, ids: readonly string[]): void {
  const isStrict = service.takes('assistants.create.unknown-file') === 'refused';
  for (const [n, id] of ids.entries())
    if (isStrict || filesOf(service).all.get(id) !== undefined)
      checkFile(service, id, `file_ids[${n}]`, 'assistants');
}

/** Null resets a field. @throws ApiError for an invalid field, before anything changes. */
function changeAssistant(service: Service, assistant: Assistant, fields: AssistantFields): void {
  const { model = assistant.model, file_ids, tool_resources } = fields;
  // The current model may be unknown: a fine-tuned one that was deleted, or by the choice `assistants.model.unknown`.
  if (fields.model !== undefined) modelsOf(service).need(model, 'chat');
  checkFilesToAttach(service, file_ids ?? []);
  const resources =
    tool_resources === undefined ? assistant.tool_resources : resolveResources(service, tool_resources);
  const choose = <T>(sent: T | null | undefined, current: T, byDefault: T): T =>
    sent === undefined ? current : (sent ?? byDefault);
  assistant.model = model;
  assistant.name = choose(fields.name, assistant.name, null);
  assistant.description = choose(fields.description, assistant.description, null);
  assistant.instructions = choose(fields.instructions, assistant.instructions, null);
  if (fields.tools !== undefined) assistant.tools = toStoredTools(fields.tools);
  assistant.tool_resources = resources;
  assistant.metadata = choose(fields.metadata, assistant.metadata, {});
  assistant.temperature = choose(fields.temperature, assistant.temperature, 1);
  assistant.top_p = choose(fields.top_p, assistant.top_p, 1);
  assistant.response_format = choose(fields.response_format, assistant.response_format, 'auto');
  if (file_ids !== undefined) setFiles(service, assistant, file_ids);
}

const fileRoutes: Routes = (service) => [
  // Attaching a file again returns the first attachment, even if the limit is reached.
  serves<{ readonly file_id: string }>('createAssistantFile', ({ path, body }) => {
    // The assistant is looked up before the file, so that the error for an unknown assistant does not name the file.
    const assistant = needAssistant(service, path['assistant_id'] ?? '');
    checkFile(service, body.file_id, 'file_id', 'assistants');
    if (assistant.files.size >= MAX_FILES && assistant.files.get(body.file_id) === undefined) {
      throw ApiError.invalid('file_id', `The assistant has ${MAX_FILES} files already; detach one first.`);
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
    // The specification does not say whether the upload is deleted too.
    const stored = filesOf(service).all.get(file.id);
    if (stored !== undefined && service.takes('assistant-files.delete.file-stays') === 'gone')
      await filesOf(service).delete(stored);
    return { id: file.id, object: 'assistant.file.deleted', deleted: true };
  }),
];

function needAttached({ service, path }: HandlerRequest): { assistant: Assistant; file: AssistantFile } {
  const assistant = needAssistant(service, path['assistant_id'] ?? '');
  const { file_id: id = '' } = path;
  return { assistant, file: requireObject(assistant.files.get(id), 'file of this assistant', id) };
}

/** An attached file (1 Assistant file). Under v1, `file_ids` lists the files in order of attachment. */
interface AssistantFile {
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
  temperature: number;
  top_p: number;
  response_format: ResponseFormat;
  readonly files: Collection<AssistantFile>;
}

export const assistantsOf: (service: Service) => Collection<Assistant> = perService(
  () => new Collection<Assistant>(),
);

function needAssistant(service: Service, id: string): Assistant {
  return requireObject(assistantsOf(service).get(id), 'assistant', id);
}

function attach(service: Service, assistant: Assistant, id: string): AssistantFile {
  const attached = assistant.files.get(id);
  if (attached !== undefined) return attached;
  const created_at = service.now();
  return assistant.files.add({ id, object: 'assistant.file', created_at, assistant_id: assistant.id });
}

function setFiles(service: Service, assistant: Assistant, ids: readonly string[]): void {
  for (const { id } of assistant.files.values()) if (!ids.includes(id)) assistant.files.delete(id);
  const position = (id: string) => filesOf(service).all.positionOf(id) ?? 0;
  const isByAge = service.takes('assistants.files.of-one-request') === 'oldest upload first';
  const ordered = isByAge ? ids.toSorted((a, b) => position(a) - position(b)) : ids;
  for (const id of ordered) attach(service, assistant, id);
}

function showAssistant(assistant: Assistant, version: Version) {
  const { files, tools, tool_resources, ...fields } = assistant;
  const form = version === 'v1' ? { file_ids: files.values().map(({ id }) => id) } : { tool_resources };
  return { object: 'assistant', ...fields, tools: showTools(tools, version), ...form };
}
