// Files (2 Files). A file is `uploaded` until its first retrieval, or for the state delay if there is one, and then
// `processed`. The job or batch that uses it validates its lines; a choice makes the upload validate them too.
import { ApiError } from '../http/api-error.ts';
import { BinaryResponse, JsonResponse } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import { pollAfter } from '../state/transitions.ts';
import { checkBatchInput } from './batch-input.ts';
import { filesOf, type StoredFile } from './file-store.ts';
import { isJsonLinesName } from './lines.ts';
import { readExamples } from './training-examples.ts';

/** Endpoints that a batch may name (2 Batch). */
const BATCH_ENDPOINTS = ['/v1/chat/completions', '/v1/embeddings', '/v1/completions'];
/** Files of these purposes must be JSONL (2 Limits). */
const LINE_PURPOSES = new Set(['fine-tune', 'batch']);

export const routes: Routes = (service) => {
  const files = filesOf(service);
  return [
    serves<{ purpose: string }>('createFile', async ({ body, uploads }) => {
      const upload = uploads.get('file');
      if (upload === undefined) throw ApiError.invalid('file', "Missing required parameter: 'file'.");
      checkFilename(service, body.purpose, upload.filename);
      const file = files.take(upload, body.purpose);
      if (service.takes('files.upload.contents') === 'refused') await checkLines(files, file);
      return show(file);
    }),
    // Not paginated: one page has all files, newest first.
    serves('listFiles', ({ query }) => {
      const filter = query['purpose'];
      const matching = files.all.values().filter(({ purpose }) => filter === undefined || purpose === filter);
      return { object: 'list', data: matching.reverse().map(show), has_more: false };
    }),
    serves('retrieveFile', ({ path }) => {
      const file = files.need(path['file_id'] ?? '');
      file.progress.read();
      return new JsonResponse(show(file), pollAfter(service));
    }),
    serves('deleteFile', async ({ path }) => {
      const file = files.need(path['file_id'] ?? '');
      await files.delete(file);
      return { id: file.id, object: 'file', deleted: true };
    }),
    serves('retrieveFileContent', async ({ path }) => {
      const file = files.need(path['file_id'] ?? '');
      return new BinaryResponse('application/octet-stream', await files.read(file), file.bytes);
    }),
  ];
};

/** Deletes and rejects a file whose lines do not fit its purpose. @throws ApiError 400 */
async function checkLines(files: ReturnType<typeof filesOf>, file: StoredFile): Promise<void> {
  if (!LINE_PURPOSES.has(file.purpose)) return;
  const path = file.content.ensureFile();
  const fitsPurpose =
    file.purpose === 'batch' ? await isBatchInput(path) : 'count' in (await readExamples(path));
  if (fitsPurpose) return;
  await files.delete(file);
  throw ApiError.invalid('file', `The lines do not fit the purpose '${file.purpose}'.`);
}

async function isBatchInput(path: string): Promise<boolean> {
  for (const endpoint of BATCH_ENDPOINTS)
    if ((await checkBatchInput(path, endpoint)).problems.length === 0) return true;
  return false;
}

function checkFilename(service: Service, purpose: string, filename: string): void {
  if (!LINE_PURPOSES.has(purpose) || isJsonLinesName(filename)) return;
  if (service.takes('files.upload.jsonl-only') === 'accepted') return;
  const message = `A file of purpose '${purpose}' must be JSONL, with a name that ends in .jsonl.`;
  throw ApiError.invalid('file', message);
}

function show({ id, bytes, created_at, filename, purpose, progress }: StoredFile) {
  const status = progress.steps > 0 ? 'processed' : 'uploaded';
  return { object: 'file', id, purpose, filename, bytes, created_at, status, status_details: null };
}
