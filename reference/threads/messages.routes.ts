// Messages (1 Messages), with the customary endpoint that deletes one. A thread with an active run accepts no new message.

import { filesOf } from '../files/file-store.ts';
import { ApiError } from '../http/api-error.ts';
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

/** Routes of messages (1 Messages). Reading them advances the active run of the thread. */
const messageRoutes: Routes = (service) => [
  // An active run locks its thread.
  serves<WireMessage>('createMessage', (request) => {
    const thread = needThread(service, request.path['thread_id']);
    // A new message in the middle of a run would be in the thread, but not in what the model has read.
    refuseWhileRunning(thread);
    const message = takeMessage(service, thread.id, request.body);
    addMessages(service, thread, [message]);
    return show(message, request);
  }),
  serves('listMessages', listMessages),
  // Retrieving a message that a run is writing advances the run.
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

/** The thread and the message that a path names. @throws ApiError 404 when one of them does not exist. */
function needNamed({ service, path }: HandlerRequest<unknown>): { thread: Thread; message: StoredMessage } {
  const thread = needThread(service, path['thread_id']);
  return { thread, message: needMessage(thread, path['message_id']) };
}

/** A message in the form that the beta header asks for. */
function show(message: StoredMessage, request: HandlerRequest<unknown>) {
  return showMessage(message, versionOf(request));
}

/** A page of the messages of a thread, of one run where `run_id` is given. */
function listMessages(request: HandlerRequest) {
  const thread = needThread(request.service, request.path['thread_id']);
  // No operation retrieves a run, so reading its messages is how a client waits for it.
  pollThread(thread);
  const run = request.query['run_id'];
  const page = listPage(thread.messages, request.query, ({ run_id }) => run === undefined || run_id === run);
  return listEnvelope(page, (message) => show(message, request));
}

// Files of messages, which v1 alone has (1 Message files).

/** A message file as its response shows it. */
interface MessageFile {
  readonly id: string;
  readonly object: 'thread.message.file';
  readonly created_at: number;
  readonly message_id: string;
}

/** Routes of message files. */
const fileRoutes: Routes = (service) => [
  serves('listMessageFiles', (request) =>
    listEnvelope(listPage(filesOfMessage(service, request), request.query), (file) => file),
  ),
  // A file that exists but is not attached to the message is unknown here.
  serves('retrieveMessageFile', (request) => {
    const file = filesOfMessage(service, request).get(request.path['file_id'] ?? '');
    if (file === undefined) throw ApiError.missing('file of this message', request.path['file_id'] ?? '');
    return file;
  }),
];

/** The files of a message never change, so the collection is made anew for each request. @throws ApiError 404 */
function filesOfMessage(service: Service, { path }: HandlerRequest): Collection<MessageFile> {
  // Both parents must exist and belong together: a message of another thread is unknown here.
  const message = needMessage(needThread(service, path['thread_id']), path['message_id']);
  const files = new Collection<MessageFile>();
  const found = message.file_ids.map((id) => ({
    id,
    object: 'thread.message.file' as const,
    // The time of the upload; a deleted file has the time of the message.
    created_at: filesOf(service).get(id)?.created_at ?? message.created_at,
    message_id: message.id,
  }));
  // Oldest first, which is the order of a collection.
  for (const file of found.toSorted((a, b) => a.created_at - b.created_at)) files.add(file);
  return files;
}

export const routes: Routes = (service) => [...messageRoutes(service), ...fileRoutes(service)];
