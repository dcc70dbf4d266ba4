import type { Metadata, StoredMessage } from '../runs/objects.ts';
import { pollRun, pollThread, refuseWhileRunning } from '../runs/record.ts';
import type { HandlerRequest, Routes } from '../server/handler-request.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { customary, serves } from '../server/route.ts';
import { versionOf } from '../server/version.ts';
import { addMessages, showMessage, takeMessage, type WireMessage } from '../threads/message.ts';
import { needMessage, needThread } from '../threads/store.ts';

export const routes: Routes = (service) => {
  const need = ({ path }: HandlerRequest<unknown>) => {
    const thread = needThread(service, path['thread_id']);
    return { thread, message: needMessage(thread, path['message_id']) };
  };
  const show = (message: StoredMessage, request: HandlerRequest<unknown>) =>
    showMessage(message, versionOf(request));
  return [
    serves<WireMessage>('createMessage', (request) => {
      const thread = needThread(service, request.path['thread_id']);
      refuseWhileRunning(thread);
      const message = takeMessage(service, thread.id, request.body);
      addMessages(service, thread, [message]);
      return show(message, request);
    }),
    serves('listMessages', (request) => {
      const thread = needThread(service, request.path['thread_id']);
      pollThread(thread);
      const run = request.query['run_id'];
      const found = listPage(
        thread.messages,
        request.query,
        ({ run_id }) => run === undefined || run_id === run,
      );
      return listEnvelope(found, (message) => show(message, request));
    }),
    serves('retrieveMessage', (request) => {
      const { thread, message } = need(request);
      const run = thread.runs.get(message.run_id ?? '');
      if (run !== undefined) pollRun(run);
      return show(message, request);
    }),
    serves<{ readonly metadata?: Metadata | null }>('modifyMessage', (request) => {
      const { message } = need(request);
      if (request.body.metadata !== undefined) message.metadata = request.body.metadata ?? {};
      return show(message, request);
    }),
    customary('DELETE', '/v1/threads/{thread_id}/messages/{message_id}', (request) => {
      const { thread, message } = need(request);
      thread.messages.delete(message.id);
      return { id: message.id, object: 'thread.message.deleted', deleted: true };
    }),
  ];
};
