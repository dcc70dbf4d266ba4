import { setAtPointer, setInResponse } from '../deviations/changes.ts';
import type { Fault } from '../deviations/hooks.ts';
import { isJsonObject } from '../http/json.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-store-file-batches-failures-uncounted',
    says: 'batches count failed files as completed',
    filed: 'ogx-ai/ogx#5565',
    requirement: 'vector-store-file-batches.counts.as-listed',
    on: ['retrieveVectorStoreFileBatch'],
    does: setInResponse('/file_counts', (counts) =>
      isJsonObject(counts)
        ? { ...counts, completed: Number(counts['completed']) + Number(counts['failed']), failed: 0 }
        : counts,
    ),
  },
  {
    id: 'vector-stores-counts-stay',
    says: 'the counts of a vector store do not follow the states of its files',
    filed: 'defenseunicorns/leapfrogai#743',
    requirement: 'vector-stores.counts.as-listed',
    on: ['retrieveVectorStore'],
    does: setInResponse('/file_counts', (counts) =>
      isJsonObject(counts)
        ? {
            in_progress: counts['total'] ?? 0,
            completed: 0,
            failed: 0,
            cancelled: 0,
            total: counts['total'] ?? 0,
          }
        : counts,
    ),
  },
  {
    id: 'vector-stores-removed-file-counted',
    says: 'a vector store still counts one file that was removed from it',
    filed: 'openai/openai-dotnet#540',
    requirement: 'vector-stores.counts.as-listed',
    on: ['retrieveVectorStore'],
    does: setInResponse('/file_counts', (counts) =>
      setAtPointer(
        setAtPointer(counts ?? null, '/total', (count) => Number(count) + 1),
        '/completed',
        (count) => Number(count) + 1,
      ),
    ),
  },
  {
    id: 'vector-store-files-error-untold',
    says: 'failed files lack last_error',
    filed: 'ogx-ai/ogx#5565',
    requirement: 'vector-store-files.failed.tells-why',
    on: ['retrieveVectorStoreFile', 'createVectorStoreFile'],
    does: setInResponse('/last_error', null),
  },
];
