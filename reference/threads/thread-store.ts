import { resolveResources, type ToolResources, type WireResources } from '../assistants/tools.ts';
import { requireObject } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import { checkBody } from '../http/validation.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';
import type { StateProgress } from '../state/transitions.ts';
import { addFile, createStore, storesOf } from '../vector-stores/stores.ts';
import { makeMessage, type WireMessage } from './messages.ts';
import type { RunEnvironment, RunState } from './run-engine.ts';
import type { StoredMessage } from './run-objects.ts';

export interface RunRecord {
  readonly id: string;
  readonly work: RunState;
  readonly service: Service;
  readonly environment: RunEnvironment;
  progress: StateProgress;
  /** Number of steps of `progress` that have advanced the run; a stream advances it without them. */
  transitions: number;
  /** True while a stream advances the run, which other requests then do not advance. */
  isStreamed: boolean;
}

export interface Thread {
  readonly id: string;
  readonly created_at: number;
  /** Files and stores for the tools of runs on this thread. The attachments of new messages are added. */
  tool_resources: ToolResources;
  metadata: Metadata;
  readonly messages: Collection<StoredMessage>;
  /** In order of creation; only the last one can be active. */
  readonly runs: Collection<RunRecord>;
}

export const threadsOf: (service: Service) => Collection<Thread> = perService(() => new Collection<Thread>());

export function needThread(service: Service, id = ''): Thread {
  return requireObject(threadsOf(service).get(id), 'thread', id);
}

export function needMessage(thread: Thread, id = ''): StoredMessage {
  return requireObject(thread.messages.get(id), 'message in this thread', id);
}

export const showThread = ({ id, created_at, tool_resources, metadata }: Thread) => ({
  id,
  object: 'thread',
  created_at,
  tool_resources,
  metadata,
});

export function addMessages(service: Service, thread: Thread, messages: readonly StoredMessage[]): void {
  for (const message of messages) {
    thread.messages.add(message);
    for (const { file_id, tools = [] } of message.attachments) {
      for (const { type } of tools) if (file_id !== undefined) offerToTool(service, thread, file_id, type);
    }
  }
}

function offerToTool(service: Service, thread: Thread, fileId: string, tool: string): void {
  const resources = thread.tool_resources;
  if (tool === 'code_interpreter') {
    const fileIds = resources.code_interpreter?.file_ids ?? [];
    if (!fileIds.includes(fileId)) resources.code_interpreter = { file_ids: [...fileIds, fileId] };
  }
  if (tool !== 'file_search') return;
  const storeIds = resources.file_search?.vector_store_ids ?? [];
  // A store of the thread may have been deleted.
  const store = storeIds.map((id) => storesOf(service).get(id)).find((one) => one !== undefined);
  if (store !== undefined) addFile(service, store, fileId);
  else resources.file_search = { vector_store_ids: [createStore(service, { file_ids: [fileId] }).id] };
}

export interface NewThread {
  readonly messages?: readonly WireMessage[] | null;
  readonly tool_resources?: WireResources | null;
  readonly metadata?: Metadata | null;
}

/** `place` is the path of the thread inside another body: `thread`. @throws ApiError 400; then no thread is created. */
export function startThread(service: Service, fields: NewThread, place: string | null = null): Thread {
  // Inside a request for a run, the thread is validated by the schema of `createThread`.
  checkBody('createThread', fields, place);
  const at = place === null ? '' : `${place}.`;
  const tool_resources = resolveResources(service, fields.tool_resources, `${at}tool_resources`);
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
