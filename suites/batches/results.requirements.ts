import { rowOf } from '../rows/rows.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { responses, shows, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, ResponseEvidence, Violation } from '../vocabulary/types.ts';
import {
  type BatchResults,
  batchResults,
  type DownloadedLine,
  isFailure,
  isSuccess,
  requestLinesOf,
  withInput,
} from './results.ts';

export const batchesResultsEachRequestOnce = rowOf('batches.results.each-request-once', {
  evidence: where(batchResults, withInput),
  check: (evidence) => {
    const requests = requestLinesOf(evidence) ?? [];
    const requested = new Set(requests.flatMap(({ value }) => textAt(value, 'custom_id') ?? []));
    const missing = new Set(requested);
    const surplus = evidence.lines.flatMap(({ value, at, exchange }) => {
      const id = textAt(value, 'custom_id');
      if (id === undefined || missing.delete(id)) return [];
      const expected = requested.has(id) ? 'one line for each request' : 'the custom_id of a request';
      return [violation(`${at} /custom_id`, expected, id, exchange)];
    });
    return [
      ...Array.from(missing, (id) => violation('body', `a line with custom_id ${id}`, 'none')),
      ...surplus,
    ];
  },
});

export const batchesResultsSuccessesInOutput = rowOf('batches.results.successes-in-output', {
  evidence: batchResults,
  check: ({ output, errors }) => [
    ...(output?.lines ?? []).filter(isFailure).map((line) => misplacedLine(line, 'a success')),
    ...(errors?.lines ?? []).filter(isSuccess).map((line) => misplacedLine(line, 'a failure')),
  ],
});

const withTotal = that<BatchResults>(
  'with a total in request_counts',
  ({ batch }) => numberAt(batch, 'request_counts', 'total') !== undefined,
);

export const batchesResultsCountsAreLines = rowOf('batches.results.counts-are-lines', {
  evidence: where(batchResults, withInput, withTotal),
  check: (evidence) => {
    const { batch, call } = evidence;
    const requestCount = requestLinesOf(evidence)?.length;
    const actual = numberAt(batch, 'request_counts', 'total');
    if (actual === requestCount) return [];
    const expected = `${requestCount}, the number of requests`;
    return [violation('/request_counts/total', expected, actual, call.exchange.id)];
  },
});

/** For each count, the field of a batch that must name a file if the count is positive. */
const RESULT_FILES = { completed: 'output_file_id', failed: 'error_file_id' } as const;

const withEndedRequest = that<ResponseEvidence>(
  'with a request that ended',
  ({ answer }) => expectedFiles(answer).length > 0,
);

export const batchesResultsFilesNamed = rowOf('batches.results.files-named', {
  evidence: where(responses('retrieveBatch'), shows('status', 'completed'), withEndedRequest),
  check: ({ answer }) =>
    expectedFiles(answer)
      .filter((field) => textAt(answer, field) === undefined)
      .map((field) => violation(`/${field}`, 'the id of a file', valueAtPath(answer, field))),
});

function expectedFiles(batch: Json): readonly string[] {
  return Object.entries(RESULT_FILES).flatMap(([count, field]) =>
    (numberAt(batch, 'request_counts', count) ?? 0) > 0 ? [field] : [],
  );
}

function misplacedLine({ at: place, value, exchange }: DownloadedLine, expected: string): Violation {
  const error = valueAtPath(value, 'error');
  const actual = isObject(error) ? error : valueAtPath(value, 'response', 'status_code');
  return violation(place, expected, actual, exchange);
}
