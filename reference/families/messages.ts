// Messages (1 Messages), with the customary endpoint that deletes one. A thread with an active run accepts no new message.
import type { Metadata, StoredMessage } from '../runs/objects.ts';
import { pollRun, pollThread, refuseWhileRunning } from '../runs/record.ts';
import type { HandlerRequest, Routes } from '../server/handler-request.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { customary, serves } from '../server/route.ts';
import { versionOf } from '../server/version.ts';
import { addMessages, showMessage, takeMessage, type WireMessage } from '../threads/message.ts';
import { needMessage, needThread, type Thread } from '../threads/store.ts';

/** Routes of messages (1 Messages). Reading them advances the active run of the thread. */
export const routes: Routes = (service) => [
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
