// Files attached to assistants, which v1 alone has (1 Assistant files). Detaching one leaves the file, unless a choice says otherwise.
import { type Assistant, type AssistantFile, attach, mostFiles, needAssistant } from '../assistants/store.ts';
import { checkFile } from '../files/file-reference.ts';
import { filesOf } from '../files/file-store.ts';
import { ApiError } from '../server/api-error.ts';
import type { HandlerRequest, Routes } from '../server/handler-request.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { serves } from '../server/route.ts';

/** Routes of assistant files. */
export const routes: Routes = (service) => [
  // Attaching a file twice returns the first attachment, even when the limit is reached.
  serves<{ readonly file_id: string }>('createAssistantFile', ({ path, body }) => {
    // Parent first: for an unknown assistant the error names the assistant, not the file.
    const assistant = needAssistant(service, path['assistant_id'] ?? '');
    checkFile(service, body.file_id, 'file_id', 'assistants');
    if (assistant.files.size >= mostFiles && assistant.files.get(body.file_id) === undefined) {
      throw ApiError.invalid('file_id', `The assistant has ${mostFiles} files already; detach one first.`);
    }
    return attach(service, assistant, body.file_id);
  }),
  // In the order of attachment, newest first by default.
  serves('listAssistantFiles', ({ path, query }) => {
    const { files } = needAssistant(service, path['assistant_id'] ?? '');
    return listEnvelope(listPage(files, query), (file) => file);
  }),
  serves('retrieveAssistantFile', (request) => needAttached(request).file),
  serves('deleteAssistantFile', async (request) => {
    const { assistant, file } = needAttached(request);
    assistant.files.delete(file.id);
    // The specification does not state whether the upload outlives its last use.
    const stored = filesOf(service).get(file.id);
    if (stored !== undefined && service.takes('assistant-files.delete.file-stays') === 'gone')
      await filesOf(service).delete(stored);
    return { id: file.id, object: 'assistant.file.deleted', deleted: true };
  }),
];

/** The assistant and the attached file that a path names. @throws ApiError 404 when one of them does not exist. */
function needAttached({ service, path }: HandlerRequest): { assistant: Assistant; file: AssistantFile } {
  const assistant = needAssistant(service, path['assistant_id'] ?? '');
  const file = assistant.files.get(path['file_id'] ?? '');
  if (file === undefined) throw ApiError.missing('file of this assistant', path['file_id'] ?? '');
  return { assistant, file };
}
