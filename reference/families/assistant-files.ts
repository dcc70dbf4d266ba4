import { type Assistant, type AssistantFile, attach, mostFiles, needAssistant } from '../assistants/store.ts';
import type { Call, Routes } from '../call.ts';
import { checkFile } from '../file-reference.ts';
import { envelope, page } from '../list.ts';
import { Refusal } from '../refusal.ts';
import { serves } from '../route.ts';

export const routes: Routes = (service) => [
  serves<{ readonly file_id: string }>('createAssistantFile', ({ path, body }) => {
    const assistant = needAssistant(service, path['assistant_id'] ?? '');
    checkFile(service, body.file_id, 'file_id', 'assistants');
    if (assistant.files.size >= mostFiles && assistant.files.get(body.file_id) === undefined) {
      throw Refusal.invalid('file_id', `The assistant has ${mostFiles} files already; detach one first.`);
    }
    return attach(service, assistant, body.file_id);
  }),
  serves('listAssistantFiles', ({ path, query }) => {
    const { files } = needAssistant(service, path['assistant_id'] ?? '');
    return envelope(page(files, query), (file) => file);
  }),
  serves('retrieveAssistantFile', (call) => needAttached(call).file),
  serves('deleteAssistantFile', (call) => {
    const { assistant, file } = needAttached(call);
    assistant.files.delete(file.id);
    return { id: file.id, object: 'assistant.file.deleted', deleted: true };
  }),
];

function needAttached({ service, path }: Call): { assistant: Assistant; file: AssistantFile } {
  const assistant = needAssistant(service, path['assistant_id'] ?? '');
  const file = assistant.files.get(path['file_id'] ?? '');
  if (file === undefined) throw Refusal.missing('file of this assistant', path['file_id'] ?? '');
  return { assistant, file };
}
