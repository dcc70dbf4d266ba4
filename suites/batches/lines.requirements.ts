import type { Json } from '../../exchange/body.ts';
import { all, put, remove } from '../../judge/edit/values.ts';
import { get, isObject, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { validator } from '../../schemas/index.ts';
import { inLines, rewritten } from './break.ts';
import { answered, isSuccess, type Line, linesRead, results } from './results.ts';
import { CHAT, COMPLETIONS } from './samples.ts';

const OBJECT = '2 Batch';

export const readable = requirement({
  id: 'batches.results.lines-are-json',
  level: 'MUST',
  basis: 'stated',
  spec: OBJECT,
  says: 'Each line of a file of results is a JSON object.',
  on: only(results, (evidence) => answered(evidence).length > 0),
  check: (evidence) =>
    answered(evidence).flatMap(({ value, at, exchange }) =>
      isObject(value) ? [] : [{ at, expected: 'a JSON object', actual: value, exchange }],
    ),
  breaks: {
    'a line is cut': rewritten((lines) => lines.map((line) => line.slice(0, -3))),
    'a list': rewritten((lines) => lines.map((line) => `[${line}]`)),
  },
});

export const outputForm = requirement({
  id: 'batches.results.output-lines',
  level: 'MUST',
  basis: 'stated',
  spec: OBJECT,
  says: 'Each line of an output file has the form of a batch result.',
  on: only(results, ({ output }) => output !== null && output.lines.length > 0),
  check: ({ output }) => (output === null ? [] : linesRead(output).flatMap(malformed('batch.output'))),
  breaks: {
    'no id': inLines(remove('/id')),
    'no custom_id': inLines(remove('/custom_id')),
    'a status in words': inLines(put('/response/status_code', 'fine')),
    'no id of the answer': inLines(remove('/response/request_id')),
    'a body as text': inLines(put('/response/body', 'fine')),
    'an error in words': inLines(put('/error', 'none')),
  },
});

export const errorForm = requirement({
  id: 'batches.results.error-lines',
  level: 'MUST',
  basis: 'stated',
  spec: OBJECT,
  says: 'Each line of an error file has the form of a batch failure.',
  on: only(results, ({ errors }) => errors !== null && errors.lines.length > 0),
  check: ({ errors }) => (errors === null ? [] : linesRead(errors).flatMap(malformed('batch.error'))),
  breaks: {
    'no id': inLines(remove('/id')),
    'no custom_id': inLines(remove('/custom_id')),
    'an error in words': inLines(put('/error', 'bad')),
    'an error without a message': inLines(put('/error', { type: 'a' })),
  },
});

export const nulls = requirement({
  id: 'batches.results.response-and-error',
  level: 'SHOULD',
  basis: 'stated',
  spec: OBJECT,
  says: 'Each line of a file of results has a response and an error, of which one may be null.',
  on: only(results, (evidence) => answered(evidence).length > 0),
  check: (evidence) =>
    answered(evidence).flatMap(({ value, at, exchange }) =>
      ['response', 'error']
        .filter((field) => isObject(value) && get(value, field) === undefined)
        .map((field) => ({
          at: `${at} /${field}`,
          expected: 'an object or null',
          actual: undefined,
          exchange,
        })),
    ),
  breaks: {
    'no error': inLines(remove('/error')),
    'no response': inLines(remove('/response')),
  },
});

export const either = requirement({
  id: 'batches.results.response-or-error',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'Each line of a file of results tells what came of its request: a response or an error.',
  on: only(results, (evidence) => answered(evidence).length > 0),
  check: (evidence) =>
    answered(evidence).flatMap(({ value, at, exchange }) =>
      !isObject(value) || isObject(get(value, 'response')) || isObject(get(value, 'error'))
        ? []
        : [{ at, expected: 'a response or an error', actual: 'neither', exchange }],
    ),
  breaks: {
    'neither of them': inLines(all(put('/response', null), put('/error', null))),
    'both left out': inLines(all(remove('/response'), remove('/error'))),
  },
});

export const bodies = requirement({
  id: 'batches.results.body-of-endpoint',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'The body of a successful result is an answer of the endpoint of its batch.',
  on: only(
    results,
    ({ batch, output }) => shapeOf(batch) !== undefined && output?.lines.some(isSuccess) === true,
  ),
  check: ({ batch, output }) => {
    const keeps = validator(shapeOf(batch) ?? CHAT);
    return (output === null ? [] : linesRead(output)).flatMap((line) => {
      const body = get(line.value, 'response', 'body');
      if (!isSuccess(line) || !isObject(body)) return [];
      return keeps(body).map(({ pointer, message }) => ({
        at: `${line.at} /response/body${pointer}`,
        expected: `${shapeOf(batch)}: ${message}`,
        actual: at(body, pointer),
        exchange: line.exchange,
      }));
    });
  },
  breaks: {
    'no choices': inLines(remove('/response/body/choices')),
    'another object': inLines(put('/response/body/object', 'list')),
    nothing: inLines(put('/response/body', {})),
  },
});

/** The schema of a whole answer of the endpoint; undefined where it is not shown. */
function shapeOf(batch: Json): string | undefined {
  switch (text(batch, 'endpoint')) {
    case CHAT:
      return 'chat.completion';
    case COMPLETIONS:
      return 'text_completion';
    default:
      return undefined;
  }
}

function malformed(schema: string) {
  return (line: Line & { readonly exchange: string }): Complaint[] =>
    line.value === undefined
      ? []
      : validator(schema)(line.value).map(({ pointer, message }) => ({
          at: `${line.at} ${pointer}`.trimEnd(),
          expected: `${schema}: ${message}`,
          actual: at(line.value, pointer),
          exchange: line.exchange,
        }));
}

function at(value: Json | undefined, pointer: string): Json | undefined {
  const steps = pointer.split('/').slice(1);
  return get(value, ...steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)));
}
