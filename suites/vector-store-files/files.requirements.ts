import { notFoundFile } from '../files/file.ts';
import { rowOf } from '../rows/rows.ts';
import { isSuccessOf } from '../vocabulary/changes.ts';
import { withStatus } from '../vocabulary/exchanges.ts';
import { settled, that, where } from '../vocabulary/selectors.ts';
import type { Mutation, Violation } from '../vocabulary/types.ts';
import { byItsStatus, filteredPages, type RemovedFileLookup, removedFileLookups, unshown } from './files.ts';

export const vectorStoreFilesFilterComplete = rowOf('vector-store-files.filter.complete', {
  evidence: where(filteredPages('listVectorStoreFiles'), byItsStatus),
  check: unshown,
});

const byContent = that<RemovedFileLookup>(
  'by retrieveFileContent',
  ({ after }) => after.operation.id === 'retrieveFileContent',
);

/** `files.content.as-sent` compares the bytes. */
export const vectorStoreFilesDeleteKeepsContent = rowOf('vector-store-files.delete.keeps-content', {
  evidence: where(removedFileLookups, settled, byContent),
  check: ({ after }) => missingFile(after),
  broken_by: {
    'gone with it': afterRemoval('retrieveFileContent', 404),
    refused: afterRemoval('retrieveFileContent', 400),
  },
});

function missingFile(after: Parameters<typeof notFoundFile>[0]): Violation[] {
  return after.responseClass === 'accepted' ? [] : [notFoundFile(after, '2xx')];
}

function afterRemoval(operation: string, status: number): Mutation {
  return (trace) => {
    const removed = new Set<string>();
    const changed = trace.map((exchange) => {
      const [, file = ''] = /\/(file-[^/?]+)/.exec(exchange.request.target) ?? [];
      if (isSuccessOf(exchange, 'deleteVectorStoreFile')) removed.add(file);
      return removed.has(file) && isSuccessOf(exchange, operation) ? withStatus(exchange, status) : exchange;
    });
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}
