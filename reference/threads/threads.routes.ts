// Threads (1 Threads). Deleting one deletes its messages and runs with it.
import { takeResources, type WireResources } from '../assistants/store.ts';
import type { Metadata } from '../http/json.ts';
import { type Routes, serves } from '../http/route.ts';
import { type NewThread, needThread, showThread, startThread, threadsOf } from './store.ts';

export const routes: Routes = (service) => [
  serves<NewThread>('createThread', ({ body }) => showThread(startThread(service, body))),
  serves('retrieveThread', ({ path }) => showThread(needThread(service, path['thread_id']))),
  serves<{ readonly tool_resources?: WireResources | null; readonly metadata?: Metadata | null }>(
    'modifyThread',
    ({ path, body }) => {
      const thread = needThread(service, path['thread_id']);
      // A field that is omitted keeps its value; null resets it.
      if (body.tool_resources !== undefined)
        thread.tool_resources = takeResources(service, body.tool_resources);
      // Metadata is replaced, not merged.
      if (body.metadata !== undefined) thread.metadata = body.metadata ?? {};
      return showThread(thread);
    },
  ),
  // An active run is deleted with its thread.
  serves('deleteThread', ({ path }) => {
    const { id } = needThread(service, path['thread_id']);
    threadsOf(service).delete(id);
    return { id, object: 'thread.deleted', deleted: true };
  }),
];
