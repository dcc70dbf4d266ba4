// Messages and their files (1 Messages). Reading messages advances the active run of the thread, which accepts no new
// ones. Files of messages exist under v1 only.

import { filesOf } from '../files/file-store.ts';
import { existing } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { customary, type HandlerRequest, type Routes, serves, versionOf } from '../http/route.ts';
import { Collection } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import type { StoredMessage } from './objects.ts';
import { pollRun, pollThread, refuseWhileRunning } from './run-record.ts';
import {
  addMessages,
  needMessage,
  needThread,
  showMessage,
  type Thread,
  takeMessage,
  type WireMessage,
} from './store.ts';

const messageRoutes: Routes = (service) => [
  serves<WireMessage>('createMessage', (request) => {
    const thread = needThread(service, request.path['thread_id']);
    refuseWhileRunning(thread);
    const message = takeMessage(service, thread.id, request.body);
    addMessages(service, thread, [message]);
    return show(message, request);
  }),
  serves('listMessages', listMessages),
  serves('retrieveMessage', (request) => {
    const { thread, message } = needNamed(request);
    const run = thread.runs.get(message.run_id ?? '');
    if (run !== undefined) pollRun(run);
    return show(message, request);
  }),
  serves<{ readonly metadata?: Metadata | null }>('modifyMessage', (request) => {
    const { message } = needNamed(request);
    if (request.body.metadata !== undefined) message.metadata = request.body.metadata ?? {};
    return show(message, request);
  }),
  // Runs and steps keep the id of a deleted message.
  customary('DELETE', '/v1/threads/{thread_id}/messages/{message_id}', (request) => {
    const { thread, message } = needNamed(request);
    thread.messages.delete(message.id);
    return { id: message.id, object: 'thread.message.deleted', deleted: true };
  }),
];

function needNamed({ service, path }: HandlerRequest<unknown>): { thread: Thread; message: StoredMessage } {
  const thread = needThread(service, path['thread_id']);
  return { thread, message: needMessage(thread, path['message_id']) };
}

function show(message: StoredMessage, request: HandlerRequest<unknown>) {
  return showMessage(message, versionOf(request));
}

function listMessages(request: HandlerRequest) {
  const thread = needThread(request.service, request.path['thread_id']);
  // No operation retrieves a run, so clients wait for it by reading its messages.
  pollThread(thread);
  const run = request.query['run_id'];
  const page = listPage(thread.messages, request.query, ({ run_id }) => run === undefined || run_id === run);
  return listEnvelope(page, (message) => show(message, request));
}

interface MessageFile {
  readonly id: string;
  readonly object: 'thread.message.file';
  readonly created_at: number;
  readonly message_id: string;
}

const fileRoutes: Routes = (service) => [
  serves('listMessageFiles', (request) =>
    listEnvelope(listPage(filesOfMessage(service, request), request.query), (file) => file),
  ),
  // Files that exist but are not attached to the message are unknown here.
  serves('retrieveMessageFile', (request) => {
    const { file_id: id = '' } = request.path;
    return existing(filesOfMessage(service, request).get(id), 'file of this message', id);
  }),
];

/** The files of a message never change, so the collection is created for each request. @throws ApiError 404 */
function filesOfMessage(service: Service, { path }: HandlerRequest): Collection<MessageFile> {
  const message = needMessage(needThread(service, path['thread_id']), path['message_id']);
  const files = new Collection<MessageFile>();
  const found = message.file_ids.map((id) => ({
    id,
    object: 'thread.message.file' as const,
    // The time of the upload, or that of the message if the file was deleted.
    created_at: filesOf(service).get(id)?.created_at ?? message.created_at,
    message_id: message.id,
  }));
  for (const file of found.toSorted((a, b) => a.created_at - b.created_at)) files.add(file);
  return files;
}

export const routes: Routes = (service) => [...messageRoutes(service), ...fileRoutes(service)];
