import { rowOf } from '../rows/rows.ts';
import { allEdits, inResponse, setValue, withStatusOf } from '../vocabulary/changes.ts';
import { numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  idFrom,
  responses,
  settled,
  showed,
  shows,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, ResponseEvidence, Violation } from '../vocabulary/types.ts';
import { editResultLines, rewriteResultFiles } from './mutations.ts';
import {
  allResultLines,
  type BatchResults,
  batchResults,
  isFailure,
  isSuccess,
  type ResultLine,
  requestLinesOf,
  resultLinesOf,
  withInput,
  withLines,
} from './results.ts';

const OBJECT = '2 Batch';
const { stated, implied } = section(OBJECT);

export const batchesResultsEachRequestOnce = implied('batches.results.each-request-once', {
  says: 'Each request of a completed batch has one line with its custom_id in one of the files of results.',
  selector: where(batchResults, withInput),
  check: (evidence) => {
    const asked = idsOf(requestLinesOf(evidence) ?? []);
    const found = resultLinesOf(evidence);
    const ids = idsOf(found);
    const lost = asked.filter((id) => !ids.includes(id));
    return [
      ...lost.map((id) => violation('body', `a line with custom_id ${id}`, 'none')),
      ...found.flatMap(({ value, at, exchange }, i) => {
        const id = textAt(value, 'custom_id');
        if (id === undefined || (asked.includes(id) && ids.indexOf(id) === i)) return [];
        const expected = asked.includes(id) ? 'one line for each request' : 'the custom_id of a request';
        return [violation(`${at} /custom_id`, expected, id, exchange)];
      }),
    ];
  },
  mutations: {
    'a line is lost': rewriteResultFiles((lines) => lines.slice(1)),
    'a line occurs twice': rewriteResultFiles((lines) => [...lines, ...lines.slice(0, 1)]),
    'a line with an unknown custom_id': editResultLines(setValue('/custom_id', 'nobody')),
    'no file at all': inResponse('retrieveBatch', unnamed),
  },
});

export const batchesResultsSuccessesInOutput = stated('batches.results.successes-in-output', {
  says: 'The output file holds successful requests and the error file failed ones.',
  selector: where(batchResults, withLines),
  check: ({ output, errors }) => [
    ...(output === null ? [] : allResultLines(output))
      .filter(isFailure)
      .map((line) => misplacedLine(line, 'a success')),
    ...(errors === null ? [] : allResultLines(errors))
      .filter(isSuccess)
      .map((line) => misplacedLine(line, 'a failure')),
  ],
  mutations: {
    'a failure among the successes': editResultLines(setValue('/response/status_code', 500)),
    'a success among the failures': editResultLines(setValue('/response/status_code', 200)),
    'an error among the successes': editResultLines(
      setValue('/error', { message: 'm', type: 't', param: 'p', code: 'c' }),
    ),
  },
});

const withTotal = that<BatchResults>(
  'with a total in request_counts',
  ({ batch }) => numberAt(batch, 'request_counts', 'total') !== undefined,
);

export const batchesResultsCountsAreLines = rowOf('batches.results.counts-are-lines', {
  evidence: where(batchResults, withInput, withTotal),
  check: (evidence) => {
    const { batch, call } = evidence;
    const wanted = requestLinesOf(evidence)?.length;
    const actual = numberAt(batch, 'request_counts', 'total');
    const place = { at: '/request_counts/total', exchange: call.exchange.id };
    return actual === wanted ? [] : [{ ...place, expected: `${wanted}, as many as requests`, actual }];
  },
});

/** The field with the number of such requests, by the name of the count. */
const FILES = { completed: 'output_file_id', failed: 'error_file_id' } as const;

const withEnded = that<ResponseEvidence>(
  'with a request that ended',
  ({ answer }) => expectedFiles(answer).length > 0,
);

export const batchesResultsFilesNamed = rowOf('batches.results.files-named', {
  evidence: where(responses('retrieveBatch'), shows('status', 'completed'), withEnded),
  check: ({ answer }) =>
    expectedFiles(answer)
      .filter((field) => textAt(answer, field) === undefined)
      .map((field) => violation(`/${field}`, 'the id of a file', valueAtPath(answer, field))),
});

/** The name of the file, by the field of the batch. */
export const found = (['output_file_id', 'error_file_id'] as const).map((field) =>
  section(OBJECT).implied(`batches.results.${field === 'output_file_id' ? 'output' : 'error'}-file-found`, {
    says: `The file that a completed batch names as its ${field} can be retrieved.`,
    selector: where(
      successions({
        first: 'retrieveBatch',
        later: ['retrieveFile', 'retrieveFileContent'],
        until: ['deleteFile'],
        about: idFrom('file_id', field),
      }),
      showed('status', 'completed'),
      settled,
    ),
    check: ({ after }) =>
      after.responseClass === 'accepted' ? [] : [violation('status', '2xx', after.status)],
    mutations: {
      'not there': withStatusOf('retrieveFile', 404),
      'without content': withStatusOf('retrieveFileContent', 404),
    },
  }),
);

function expectedFiles(batch: Json): readonly string[] {
  return Object.entries(FILES).flatMap(([count, field]) =>
    (numberAt(batch, 'request_counts', count) ?? 0) > 0 ? [field] : [],
  );
}

/** Removes all results from a batch. */
function unnamed(batch: Json): Json {
  const bare = allEdits(setValue('/output_file_id', null), setValue('/error_file_id', null));
  return setValue('/request_counts', { total: 0, completed: 0, failed: 0 })(bare(batch));
}

function idsOf(lines: readonly ResultLine[]): readonly string[] {
  return lines.map(({ value }) => textAt(value, 'custom_id') ?? '');
}

/** The violation of a line that is in the wrong file: its actual value is the status, or else the error. */
function misplacedLine(
  { at: place, value, exchange }: ReturnType<typeof allResultLines>[number],
  expected: string,
): Violation {
  const actual = valueAtPath(value, 'response', 'status_code') ?? valueAtPath(value, 'error');
  return violation(place, expected, actual, exchange);
}
