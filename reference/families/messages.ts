import type { Call, Routes } from '../call.ts';
import { envelope, page } from '../list.ts';
import { customary, serves } from '../route.ts';
import type { Message, Metadata } from '../runs/objects.ts';
import { refuseWhileRunning, watch, watchThread } from '../runs/record.ts';
import { addMessages, showMessage, takeMessage, type WireMessage } from '../threads/message.ts';
import { needMessage, needThread } from '../threads/store.ts';
import { versionOf } from '../version.ts';

export const routes: Routes = (service) => {
  const need = ({ path }: Call<unknown>) => {
    const thread = needThread(service, path['thread_id']);
    return { thread, message: needMessage(thread, path['message_id']) };
  };
  const show = (message: Message, call: Call<unknown>) => showMessage(message, versionOf(call));
  return [
    serves<WireMessage>('createMessage', (call) => {
      const thread = needThread(service, call.path['thread_id']);
      refuseWhileRunning(thread);
      const message = takeMessage(service, thread.id, call.body);
      addMessages(service, thread, [message]);
      return show(message, call);
    }),
    serves('listMessages', (call) => {
      const thread = needThread(service, call.path['thread_id']);
      watchThread(thread);
      const run = call.query['run_id'];
      const found = page(thread.messages, call.query, ({ run_id }) => run === undefined || run_id === run);
      return envelope(found, (message) => show(message, call));
    }),
    serves('retrieveMessage', (call) => {
      const { thread, message } = need(call);
      const run = thread.runs.get(message.run_id ?? '');
      if (run !== undefined) watch(run);
      return show(message, call);
    }),
    serves<{ readonly metadata?: Metadata | null }>('modifyMessage', (call) => {
      const { message } = need(call);
      if (call.body.metadata !== undefined) message.metadata = call.body.metadata ?? {};
      return show(message, call);
    }),
    customary('DELETE', '/v1/threads/{thread_id}/messages/{message_id}', (call) => {
      const { thread, message } = need(call);
      thread.messages.delete(message.id);
      return { id: message.id, object: 'thread.message.deleted', deleted: true };
    }),
  ];
};
