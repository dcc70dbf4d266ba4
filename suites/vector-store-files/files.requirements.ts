import { rowOf } from '../rows/rows.ts';
import { isSuccessOf } from '../vocabulary/changes.ts';
import { editedTrace, withStatus } from '../vocabulary/exchanges.ts';
import type { Mutation } from '../vocabulary/types.ts';
import { removedFileLookups } from './removed-files.ts';

/** Only the status is judged: `files.content.as-sent` compares the bytes. */
export const vectorStoreFilesDeleteKeepsContent = rowOf('vector-store-files.delete.keeps-content', {
  evidence: removedFileLookups,
  broken_by: { 'gone with it': rejectContentAfterRemoval(404), refused: rejectContentAfterRemoval(400) },
});

function rejectContentAfterRemoval(status: number): Mutation {
  return (trace) => {
    const removed = new Set<string>();
    return editedTrace(trace, (exchange) => {
      const [, file = ''] = /\/(file-[^/?]+)/.exec(exchange.request.target) ?? [];
      if (isSuccessOf(exchange, 'deleteVectorStoreFile')) removed.add(file);
      return removed.has(file) && isSuccessOf(exchange, 'retrieveFileContent')
        ? withStatus(exchange, status)
        : exchange;
    });
  };
}
