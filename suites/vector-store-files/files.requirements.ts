import { notFoundFile } from '../files/file.ts';
import { rowOf } from '../rows/rows.ts';
import { inResponse, inResponseWhere, isSuccessOf, removeValue, setValue } from '../vocabulary/changes.ts';
import { withStatus } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { settled, stateless, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Exchange, Mutation, Violation } from '../vocabulary/types.ts';
import {
  byItsStatus,
  FILE_STATUS_OPERATIONS,
  fileStatusesIn,
  filteredPages,
  type RemovedFileLookup,
  removedFileLookups,
} from './files.ts';

const LIST = 'listVectorStoreFiles';
const RETRIEVE = 'retrieveVectorStoreFile';

const observed = stateless(
  'files of stores',
  FILE_STATUS_OPERATIONS,
  { needs: 'a file of a store' },
  (call) => fileStatusesIn(call).map((one) => ({ ...one, exchanges: [call.exchange] })),
);

export const vectorStoreFilesFailedTellsWhy = rowOf('vector-store-files.failed.tells-why', {
  evidence: where(
    observed,
    that('with status failed', ({ value }) => textAt(value, 'status') === 'failed'),
  ),
  check: ({ value, at }) => {
    const actual = valueAtPath(value, 'last_error');
    return isObject(actual) ? [] : [violation(`${at}/last_error`, 'an object', actual)];
  },
  broken_by: {
    'null when retrieved': inResponse(RETRIEVE, failedWithout(setValue('/last_error', null))),
    'left out': inResponse(RETRIEVE, failedWithout(removeValue('/last_error'))),
    'null in a list': inResponseWhere(LIST, asksFor('failed'), setValue('/data/*/last_error', null)),
  },
});

export const vectorStoreFilesFilterComplete = rowOf('vector-store-files.filter.complete', {
  evidence: where(filteredPages(LIST), byItsStatus),
  check: ({ file, isShown, page }) =>
    isShown ? [] : [violation('/data', `an element with id ${file}`, 'none', page.exchange.id)],
  broken_by: {
    'none in progress': inResponseWhere(LIST, asksFor('in_progress'), setValue('/data', [])),
    'none completed': inResponseWhere(LIST, asksFor('completed'), setValue('/data', [])),
    'none failed': inResponseWhere(LIST, asksFor('failed'), setValue('/data', [])),
    'the first is lost': inResponseWhere(
      LIST,
      ({ request }) => request.target.includes('filter='),
      setValue('/data', (data) => arrayAt(data).slice(1)),
    ),
  },
});

const byContent = that<RemovedFileLookup>(
  'by retrieveFileContent',
  ({ after }) => after.operation.id === 'retrieveFileContent',
);

/** `files.content.as-sent` compares the bytes. */
export const vectorStoreFilesDeleteKeepsContent = rowOf('vector-store-files.delete.keeps-content', {
  evidence: where(removedFileLookups, settled, byContent),
  check: ({ after }) => stays(after),
  broken_by: {
    'gone with it': afterRemoval('retrieveFileContent', 404),
    refused: afterRemoval('retrieveFileContent', 400),
  },
});

function stays(after: Parameters<typeof notFoundFile>[0]): Violation[] {
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

function asksFor(state: string) {
  return ({ request }: Exchange): boolean => request.target.includes(`filter=${state}`);
}

function failedWithout(edit: ReturnType<typeof setValue>): ReturnType<typeof setValue> {
  return (answer) => (textAt(answer, 'status') === 'failed' ? edit(answer) : answer);
}
