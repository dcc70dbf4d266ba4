import type { Call, Routes } from '../call.ts';
import { Collection } from '../collection.ts';
import { filesOf } from '../file-store.ts';
import { envelope, page } from '../list.ts';
import { Refusal } from '../refusal.ts';
import { serves } from '../route.ts';
import type { Service } from '../service.ts';
import { needMessage, needThread } from '../threads/store.ts';

/** 1 Message file. */
interface MessageFile {
  readonly id: string;
  readonly object: 'thread.message.file';
  readonly created_at: number;
  readonly message_id: string;
}

export const routes: Routes = (service) => [
  serves('listMessageFiles', (call) =>
    envelope(page(filesOfMessage(service, call), call.query), (file) => file),
  ),
  serves('retrieveMessageFile', (call) => {
    const file = filesOfMessage(service, call).get(call.path['file_id'] ?? '');
    if (file === undefined) throw Refusal.missing('file of this message', call.path['file_id'] ?? '');
    return file;
  }),
];

/** The files of a message never change, so the collection is made anew for each look. */
function filesOfMessage(service: Service, { path }: Call): Collection<MessageFile> {
  const message = needMessage(needThread(service, path['thread_id']), path['message_id']);
  const files = new Collection<MessageFile>();
  const found = message.file_ids.map((id) => ({
    id,
    object: 'thread.message.file' as const,
    // As old as its upload; of a file that is deleted no more is known than that it was there.
    created_at: filesOf(service).get(id)?.created_at ?? message.created_at,
    message_id: message.id,
  }));
  for (const file of found.toSorted((a, b) => a.created_at - b.created_at)) files.add(file);
  return files;
}
