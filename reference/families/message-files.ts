// Files of messages, which v1 alone has (1 Message files).
import { filesOf } from '../files/file-store.ts';
import { ApiError } from '../server/api-error.ts';
import type { HandlerRequest, Routes } from '../server/handler-request.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { serves } from '../server/route.ts';
import { Collection } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import { needMessage, needThread } from '../threads/store.ts';

/** A message file as its response shows it. */
interface MessageFile {
  readonly id: string;
  readonly object: 'thread.message.file';
  readonly created_at: number;
  readonly message_id: string;
}

/** Routes of message files. */
export const routes: Routes = (service) => [
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
