import type { Json } from '../../exchange/body.ts';
import { inAnswer, status } from '../../judge/edit/breaks.ts';
import { all, put } from '../../judge/edit/values.ts';
import { get, number, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { inLines, rewritten } from './break.ts';
import { answered, isFailure, isSuccess, type Line, linesRead, requestsOf, results } from './results.ts';

const OBJECT = '2 Batch';

export const onceEach = requirement({
  id: 'batches.results.each-request-once',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'Each request of a completed batch has one line by its custom_id in one of the files of results.',
  on: only(results, (evidence) => requestsOf(evidence) !== null),
  check: (evidence) => {
    const asked = idsOf(requestsOf(evidence) ?? []);
    const found = answered(evidence);
    const ids = idsOf(found);
    const lost = asked.filter((id) => !ids.includes(id));
    return [
      ...lost.map((id) => ({ at: 'body', expected: `a line with custom_id ${id}`, actual: 'none' })),
      ...found.flatMap(({ value, at, exchange }, i) => {
        const id = text(value, 'custom_id');
        if (id === undefined || (asked.includes(id) && ids.indexOf(id) === i)) return [];
        const expected = asked.includes(id) ? 'one line for each request' : 'the custom_id of a request';
        return [{ at: `${at} /custom_id`, expected, actual: id, exchange }];
      }),
    ];
  },
  breaks: {
    'a line is lost': rewritten((lines) => lines.slice(1)),
    'a line is told twice': rewritten((lines) => [...lines, ...lines.slice(0, 1)]),
    'a line of nobody': inLines(put('/custom_id', 'nobody')),
    'no file at all': inAnswer('retrieveBatch', unnamed),
  },
});

export const successes = requirement({
  id: 'batches.results.successes-in-output',
  level: 'MUST',
  basis: 'stated',
  spec: OBJECT,
  says: 'The output file holds successful requests and the error file failed ones.',
  on: only(results, (evidence) => answered(evidence).length > 0),
  check: ({ output, errors }) => [
    ...(output === null ? [] : linesRead(output)).flatMap((line) =>
      misplaced(line, !isFailure(line), 'a success'),
    ),
    ...(errors === null ? [] : linesRead(errors)).flatMap((line) =>
      misplaced(line, !isSuccess(line), 'a failure'),
    ),
  ],
  breaks: {
    'a failure among the successes': inLines(put('/response/status_code', 500)),
    'a success among the failures': inLines(put('/response/status_code', 200)),
    'an error among the successes': inLines(
      put('/error', { message: 'm', type: 't', param: 'p', code: 'c' }),
    ),
  },
});

export const counts = requirement({
  id: 'batches.results.counts-are-lines',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'The total of a completed batch is the number of its requests.',
  on: only(
    results,
    (evidence) =>
      requestsOf(evidence) !== null && number(evidence.batch, 'request_counts', 'total') !== undefined,
  ),
  check: (evidence) => {
    const { batch, call } = evidence;
    const wanted = requestsOf(evidence)?.length;
    const actual = number(batch, 'request_counts', 'total');
    const place = { at: '/request_counts/total', exchange: call.exchange.id };
    return actual === wanted ? [] : [{ ...place, expected: `${wanted}, as many as requests`, actual }];
  },
  breaks: {
    'another number': inAnswer('retrieveBatch', put('/request_counts/total', 77)),
    'one too few': inAnswer(
      'retrieveBatch',
      put('/request_counts/total', (old) => Number(old) - 1),
    ),
  },
});

/** By count the field that names what came of so many requests. */
const FILES = { completed: 'output_file_id', failed: 'error_file_id' } as const;

export const filesNamed = requirement({
  id: 'batches.results.files-named',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'A completed batch names a file for its successful requests, and one for failed ones, if it has any.',
  on: only(answers('retrieveBatch'), ({ answer }) => {
    return get(answer, 'status') === 'completed' && due(answer).length > 0;
  }),
  check: ({ answer }) =>
    due(answer)
      .filter((field) => text(answer, field) === undefined)
      .map((field) => ({ at: `/${field}`, expected: 'the id of a file', actual: get(answer, field) })),
  breaks: {
    'no output': inAnswer('retrieveBatch', put('/output_file_id', null)),
    'no errors': inAnswer('retrieveBatch', put('/error_file_id', null)),
  },
});

/** By field the file that it names. */
export const found = (['output_file_id', 'error_file_id'] as const).map((field) =>
  requirement({
    id: `batches.results.${field === 'output_file_id' ? 'output' : 'error'}-file-found`,
    level: 'MUST',
    basis: 'implied',
    spec: OBJECT,
    says: `The file that a completed batch names as its ${field} is there.`,
    on: only(
      successions({
        first: 'retrieveBatch',
        later: ['retrieveFile', 'retrieveFileContent'],
        until: ['deleteFile'],
        about: ({ path, answer }) => path['file_id'] ?? text(answer, field),
      }),
      ({ before, after: { outcome } }) =>
        get(before.answer, 'status') === 'completed' &&
        (outcome === 'accepted' || outcome === 'absent' || outcome === 'rejected'),
    ),
    check: ({ after }) =>
      after.outcome === 'accepted' ? [] : [{ at: 'status', expected: '2xx', actual: after.status }],
    breaks: {
      'not there': status('retrieveFile', 404),
      'without content': status('retrieveFileContent', 404),
    },
  }),
);

function due(batch: Json): readonly string[] {
  return Object.entries(FILES).flatMap(([count, field]) => {
    return (number(batch, 'request_counts', count) ?? 0) > 0 ? [field] : [];
  });
}

/** A batch that tells of nothing that came of it. */
function unnamed(batch: Json): Json {
  const bare = all(put('/output_file_id', null), put('/error_file_id', null));
  return put('/request_counts', { total: 0, completed: 0, failed: 0 })(bare(batch));
}

function idsOf(lines: readonly Line[]): readonly string[] {
  return lines.map(({ value }) => text(value, 'custom_id') ?? '');
}

function misplaced(
  { at: place, value, exchange }: ReturnType<typeof linesRead>[number],
  fits: boolean,
  what: string,
) {
  if (fits) return [];
  return [
    {
      at: place,
      expected: what,
      actual: get(value, 'response', 'status_code') ?? get(value, 'error'),
      exchange,
    },
  ];
}
