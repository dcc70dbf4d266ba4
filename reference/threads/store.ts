import { schemaKey } from '../../schemas/index.ts';
import { type ToolResources, takeResources, type WireResources } from '../assistants/tools.ts';
import { checkFile, checkFiles, existingFiles } from '../files/file-store.ts';
import { ApiError, existing } from '../http/api-error.ts';
import { isJsonObject, type Metadata } from '../http/json.ts';
import type { Version } from '../http/route.ts';
import { checkBody, partCheck } from '../http/validation.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service, type StateProgress } from '../state/service.ts';
import { addFile, createStore, storesOf } from '../vector-stores/stores.ts';
import type { RunEnvironment, RunState } from './run-engine.ts';
import type { Attachment, ContentPart, StoredMessage } from './run-objects.ts';

export interface RunRecord {
  readonly id: string;
  readonly work: RunState;
  readonly service: Service;
  readonly environment: RunEnvironment;
  progress: StateProgress;
  /** Transitions made since `progress` began. */
  transitions: number;
  /** True while a stream advances the run, which other requests then do not advance. */
  isStreamed: boolean;
}

/** A thread with its messages and runs, which are deleted with it. */
export interface Thread {
  readonly id: string;
  readonly created_at: number;
  /** Files and stores for the tools of runs on this thread, including the attachments of its messages. */
  tool_resources: ToolResources;
  metadata: Metadata;
  readonly messages: Collection<StoredMessage>;
  /** In order of creation; only the last one can be active. */
  readonly runs: Collection<RunRecord>;
}

export const threadsOf: (service: Service) => Collection<Thread> = perService(() => new Collection<Thread>());

export function needThread(service: Service, id = ''): Thread {
  return existing(threadsOf(service).get(id), 'thread', id);
}

export function needMessage(thread: Thread, id = ''): StoredMessage {
  return existing(thread.messages.get(id), 'message in this thread', id);
}

export const showThread = ({ id, created_at, tool_resources, metadata }: Thread) => ({
  id,
  object: 'thread',
  created_at,
  tool_resources,
  metadata,
});

/** A message in a request. The specification has neither content in parts nor attachments, but clients send both. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly unknown[];
  /** v1: ids of attached files, at most 10. */
  readonly file_ids?: readonly string[] | null;
  readonly attachments?: readonly Attachment[] | null;
  readonly metadata?: Metadata | null;
}

/** Messages inside another body have no request schema, so they are checked here. */
const checkMessage = partCheck({
  type: 'object',
  required: ['role', 'content'],
  properties: {
    role: { enum: ['user', 'assistant'] },
    content: { type: ['string', 'array'], minItems: 1 },
    // 1 Limits: files of a message.
    file_ids: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 10 },
    attachments: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        properties: {
          file_id: { type: 'string' },
          tools: { type: 'array', items: { type: 'object', properties: { type: { type: 'string' } } } },
        },
      },
    },
    metadata: { $ref: schemaKey('metadata') },
  },
});

/** `place` is the path of the message if it is part of a body: `messages[0]`. @throws ApiError 400 for an invalid field or file. */
export function makeMessage(
  service: Service,
  threadId: string,
  wire: WireMessage,
  place: string | null = null,
): StoredMessage {
  checkMessage(wire, place);
  // Errors name the field as the client sees it: `messages[0].file_ids`.
  const at = place === null ? '' : `${place}.`;
  const now = service.now();
  const file_ids = wire.file_ids ?? [];
  const attachments = wire.attachments ?? [];
  const isStrict = service.takes('messages.create.unknown-file') === 'refused';
  checkFiles(service, isStrict ? file_ids : existingFiles(service, file_ids), `${at}file_ids`);
  for (const [n, { file_id }] of attachments.entries()) {
    if (file_id !== undefined) checkFile(service, file_id, `${at}attachments[${n}].file_id`);
  }
  return {
    id: service.id('msg_'),
    object: 'thread.message',
    created_at: now,
    thread_id: threadId,
    ...stateOf(service, now),
    role: wire.role,
    content: makeContent(service, wire.content, `${at}content`),
    assistant_id: authorOf(service, wire),
    run_id: null,
    // A file that is named twice is attached once.
    file_ids: [...new Set(file_ids)],
    attachments,
    metadata: wire.metadata ?? {},
  };
}

/** The state of a caller's message, which the specification leaves open; usually it is complete at once. */
function stateOf(service: Service, now: number) {
  const status = service.takes('messages.create.status') as StoredMessage['status']; // as: the alternatives are states
  const at = service.takes('messages.create.completed-at') === 'null' ? null : now;
  return {
    status,
    incomplete_details: status === 'incomplete' ? ({ reason: 'max_tokens' } as const) : null,
    completed_at: status === 'completed' ? at : null,
    incomplete_at: status === 'incomplete' ? now : null,
  };
}

/** The author to show for a message that a caller creates with the role `assistant`. */
function authorOf(service: Service, { role }: WireMessage): string | null {
  if (role !== 'assistant' || service.takes('messages.create.inserted-author') === 'null') return null;
  return service.id('asst_');
}

export function addMessages(service: Service, thread: Thread, messages: readonly StoredMessage[]): void {
  for (const message of messages) {
    thread.messages.add(message);
    for (const { file_id, tools = [] } of message.attachments) {
      for (const { type } of tools) if (file_id !== undefined) offerToTool(service, thread, file_id, type);
    }
  }
}

/** Messages carry `file_ids` under v1, `attachments` under v2. */
export function showMessage({ file_ids, attachments, ...message }: StoredMessage, version: Version) {
  return version === 'v1' ? { ...message, file_ids } : { ...message, attachments };
}

function makeContent(service: Service, content: WireMessage['content'], at: string): ContentPart[] {
  if (typeof content === 'string') return textParts(service, content);
  return content.map((part, n) => makePart(service, part, `${at}[${n}]`));
}

/** One part, or two if the service splits texts: the first word with its space, and the rest. */
function textParts(service: Service, text: string): ContentPart[] {
  const middle = text.indexOf(' ') + 1;
  const isWhole = service.takes('messages.content.of-a-string') === 'one text part' || middle === 0;
  const values = isWhole ? [text] : [text.slice(0, middle), text.slice(middle)];
  return values.map((value) => ({ type: 'text', text: { value, annotations: [] } }));
}

/** `at` is the path of the part in the body. @throws ApiError 400 for another type or an unknown file. */
function makePart(service: Service, part: unknown, at: string): ContentPart {
  if (isJsonObject(part)) {
    const { type, text, image_file: file, image_url: url } = part;
    if (type === 'text' && typeof text === 'string') return { type, text: { value: text, annotations: [] } };
    if (type === 'image_file' && isJsonObject(file) && typeof file['file_id'] === 'string') {
      checkFile(service, file['file_id'], `${at}.image_file.file_id`);
      return { type, image_file: file };
    }
    if (type === 'image_url' && isJsonObject(url) && typeof url['url'] === 'string')
      return { type, image_url: url };
  }
  throw ApiError.invalid(
    at,
    `'${at}' must be a part of type text, image_file or image_url with the field of that name.`,
  );
}

/** Makes a file available to a tool. File search reads it through a vector store of the thread. */
function offerToTool(service: Service, thread: Thread, fileId: string, tool: string): void {
  const resources = thread.tool_resources;
  if (tool === 'code_interpreter') {
    const known = resources.code_interpreter?.file_ids ?? [];
    if (!known.includes(fileId)) resources.code_interpreter = { file_ids: [...known, fileId] };
  }
  if (tool !== 'file_search') return;
  const store = storesOf(service).get(resources.file_search?.vector_store_ids[0] ?? '');
  if (store !== undefined) addFile(service, store, fileId);
  else resources.file_search = { vector_store_ids: [createStore(service, { file_ids: [fileId] }).id] };
}

export interface NewThread {
  readonly messages?: readonly WireMessage[] | null;
  readonly tool_resources?: WireResources | null;
  readonly metadata?: Metadata | null;
}

/** `place` is the path of the thread inside another body: `thread`. @throws ApiError 400; then nothing is created. */
export function startThread(service: Service, fields: NewThread, place: string | null = null): Thread {
  // Inside a request for a run, the thread is validated by the schema of `createThread`.
  checkBody('createThread', fields, place);
  const at = place === null ? '' : `${place}.`;
  const tool_resources = takeResources(service, fields.tool_resources, `${at}tool_resources`);
  const thread: Thread = {
    id: service.id('thread_'),
    created_at: service.now(),
    tool_resources,
    metadata: fields.metadata ?? {},
    messages: new Collection(),
    runs: new Collection(),
  };
  const messages = (fields.messages ?? []).map((wire, n) =>
    makeMessage(service, thread.id, wire, `${at}messages[${n}]`),
  );
  addMessages(service, thread, messages);
  return threadsOf(service).add(thread);
}
