import type { Metadata, StoredMessage, ToolResources } from '../runs/objects.ts';
import type { RunRecord } from '../runs/run-record.ts';
import { ApiError } from '../server/api-error.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';

/** A thread with its messages and runs, which are deleted with it. */
export interface Thread {
  readonly id: string;
  /** Unix seconds. */
  readonly created_at: number;
  /** Files and stores for the tools of runs on this thread; attachments of messages are added to it. */
  tool_resources: ToolResources;
  metadata: Metadata;
  readonly messages: Collection<StoredMessage>;
  /** In the order of creation; only the last one can be active. */
  readonly runs: Collection<RunRecord>;
}

/** The threads of a service. */
export const threadsOf: (service: Service) => Collection<Thread> = perService(() => new Collection<Thread>());

/** An empty thread, not yet in the collection: it is added once its messages are valid. */
export function addThread(service: Service, tool_resources: ToolResources, metadata: Metadata): Thread {
  return {
    id: service.id('thread_'),
    created_at: service.now(),
    tool_resources,
    metadata,
    messages: new Collection(),
    runs: new Collection(),
  };
}

/** @throws ApiError 404 when the thread does not exist. */
export function needThread(service: Service, id: string | undefined): Thread {
  const thread = threadsOf(service).get(id ?? '');
  if (thread === undefined) throw ApiError.missing('thread', id ?? '');
  return thread;
}

/** @throws ApiError 404 when the thread has no such message. */
export function needMessage(thread: Thread, id: string | undefined): StoredMessage {
  const message = thread.messages.get(id ?? '');
  if (message === undefined) throw ApiError.missing('message in this thread', id ?? '');
  return message;
}

/** A thread as its response shows it (1 Thread object). */
export const showThread = ({ id, created_at, tool_resources, metadata }: Thread) => ({
  id,
  object: 'thread',
  created_at,
  tool_resources,
  metadata,
});
