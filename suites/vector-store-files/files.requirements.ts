import { rowOf } from '../rows/rows.ts';
import { isSuccessOf } from '../vocabulary/changes.ts';
import { editedTrace, withStatus } from '../vocabulary/exchanges.ts';
import type { Mutation } from '../vocabulary/types.ts';
import { removedFileLookups } from './files.ts';

/** `files.content.as-sent` compares the bytes. */
export const vectorStoreFilesDeleteKeepsContent = rowOf('vector-store-files.delete.keeps-content', {
  evidence: removedFileLookups,
  broken_by: {
    'gone with it': afterRemoval('retrieveFileContent', 404),
    refused: afterRemoval('retrieveFileContent', 400),
  },
});

function afterRemoval(operation: string, status: number): Mutation {
  return (trace) => {
    const removed = new Set<string>();
    return editedTrace(trace, (exchange) => {
      const [, file = ''] = /\/(file-[^/?]+)/.exec(exchange.request.target) ?? [];
      if (isSuccessOf(exchange, 'deleteVectorStoreFile')) removed.add(file);
      return removed.has(file) && isSuccessOf(exchange, operation) ? withStatus(exchange, status) : exchange;
    });
  };
}
