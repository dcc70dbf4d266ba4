import { takeResources, type WireResources } from '../assistants/resources.ts';
import type { Metadata } from '../runs/objects.ts';
import { checkBody } from '../server/validation.ts';
import type { Service } from '../state/service.ts';
import { addMessages, takeMessage, type WireMessage } from './message.ts';
import { addThread, type Thread, threadsOf } from './store.ts';

/** Body of a request for a thread, alone or inside a request for a run. */
export interface NewThread {
  readonly messages?: readonly WireMessage[] | null;
  readonly tool_resources?: WireResources | null;
  readonly metadata?: Metadata | null;
}

/**
 * Creates a thread with its first messages; `place` is its path in the body when it is a part of one: `thread`.
 * @throws ApiError 400 for an invalid message or resource; then nothing is created.
 */
export function startThread(service: Service, fields: NewThread, place: string | null = null): Thread {
  // Inside a request for a run, the thread is validated by the schema of `createThread`.
  checkBody('createThread', fields, place);
  const at = place === null ? '' : `${place}.`;
  const resources = takeResources(service, fields.tool_resources, `${at}tool_resources`);
  const thread = addThread(service, resources, fields.metadata ?? {});
  const messages = (fields.messages ?? []).map((wire, n) =>
    takeMessage(service, thread.id, wire, `${at}messages[${n}]`),
  );
  addMessages(service, thread, messages);
  return threadsOf(service).add(thread);
}
