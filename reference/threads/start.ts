import { takeResources, type WireResources } from '../assistants/resources.ts';
import type { Metadata } from '../runs/objects.ts';
import { checkBody } from '../server/validation.ts';
import type { Service } from '../state/service.ts';
import { addMessages, takeMessage, type WireMessage } from './message.ts';
import { addThread, type Thread, threadsOf } from './store.ts';

/** What a caller may say of a new thread. */
export interface NewThread {
  readonly messages?: readonly WireMessage[] | null;
  readonly tool_resources?: WireResources | null;
  readonly metadata?: Metadata | null;
}

/**
 * Makes a thread with its first messages; `place` is where it stands in the body, when it is a part of one: `thread`.
 * @throws ApiError 400 for a message or resource that cannot be; then nothing is made.
 */
export function startThread(service: Service, fields: NewThread, place: string | null = null): Thread {
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
