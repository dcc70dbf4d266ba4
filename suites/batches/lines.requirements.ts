import { schemaValidator } from '../../schemas/index.ts';
import { removeValue, setValue } from '../vocabulary/changes.ts';
import { isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Mutation, Violation } from '../vocabulary/types.ts';
import { editResultLines, rewriteResultFiles } from './mutations.ts';
import {
  allResultLines,
  type BatchResults,
  batchResults,
  isSuccess,
  type ResultLine,
  resultLinesOf,
  withLines,
} from './results.ts';
import { CHAT, COMPLETIONS } from './samples.ts';

const { stated, implied } = section('2 Batch');

export const batchesResultsLinesAreJson = stated('batches.results.lines-are-json', {
  says: 'Each line of a file of results is a JSON object.',
  selector: where(batchResults, withLines),
  check: (evidence) =>
    resultLinesOf(evidence).flatMap(({ value, at, exchange }) =>
      isObject(value) ? [] : [violation(at, 'a JSON object', value, exchange)],
    ),
  mutations: {
    'a line is cut': rewriteResultFiles((lines) => lines.map((line) => line.slice(0, -3))),
    'a list': rewriteResultFiles((lines) => lines.map((line) => `[${line}]`)),
  },
});

const withOutputLines = that<BatchResults>(
  'with a line in the output file',
  ({ output }) => output !== null && output.lines.length > 0,
);

export const batchesResultsOutputLines = stated('batches.results.output-lines', {
  says: 'Each line of an output file has the form of a batch result.',
  selector: where(batchResults, withOutputLines),
  check: ({ output }) => (output === null ? [] : allResultLines(output).flatMap(malformed('batch.output'))),
  mutations: {
    'no id': editResultLines(removeValue('/id')),
    'no custom_id': editResultLines(removeValue('/custom_id')),
    'a status in words': editResultLines(setValue('/response/status_code', 'fine')),
    'no id of the answer': editResultLines(removeValue('/response/request_id')),
    'a body as text': editResultLines(setValue('/response/body', 'fine')),
    'an error in words': editResultLines(setValue('/error', 'none')),
  },
});

export const batchesResultsErrorLines = stated('batches.results.error-lines', {
  says: 'Each line of an error file has the form of a batch failure.',
  selector: where(
    batchResults,
    that('with a line in the error file', ({ errors }) => errors !== null && errors.lines.length > 0),
  ),
  check: ({ errors }) => (errors === null ? [] : allResultLines(errors).flatMap(malformed('batch.error'))),
  mutations: {
    'no id': editResultLines(removeValue('/id')),
    'no custom_id': editResultLines(removeValue('/custom_id')),
    'an error in words': editResultLines(setValue('/error', 'bad')),
    'an error without a message': editResultLines(setValue('/error', { type: 'a' })),
  },
});

export const batchesResultsResponseAndError = stated('batches.results.response-and-error', {
  level: 'SHOULD',
  says: 'Each line of a file of results has a response and an error, of which one may be null.',
  selector: where(batchResults, withLines),
  check: (evidence) =>
    resultLinesOf(evidence).flatMap(({ value, at, exchange }) =>
      ['response', 'error']
        .filter((field) => isObject(value) && valueAtPath(value, field) === undefined)
        .map((field) => violation(`${at} /${field}`, 'an object or null', undefined, exchange)),
    ),
  mutations: {
    'no error': editResultLines(removeValue('/error')),
    'no response': editResultLines(removeValue('/response')),
  },
});

export const batchesResultsResponseOrError = implied('batches.results.response-or-error', {
  says: 'Each line of a file of results has the outcome of its request: a response or an error.',
  selector: where(batchResults, withLines),
  check: (evidence) =>
    resultLinesOf(evidence).flatMap(({ value, at, exchange }) =>
      !isObject(value) || isObject(valueAtPath(value, 'response')) || isObject(valueAtPath(value, 'error'))
        ? []
        : [violation(at, 'a response or an error', 'neither', exchange)],
    ),
  mutations: {
    'neither of them': editResultLines(setValue('/response', null), setValue('/error', null)),
    'both left out': editResultLines(removeValue('/response'), removeValue('/error')),
  },
});

/** How the sentence of the next requirement can be untrue. */
const batchesResultsBodyOfEndpointMutations: Readonly<Record<string, Mutation>> = {
  'no choices': editResultLines(removeValue('/response/body/choices')),
  'another object': editResultLines(setValue('/response/body/object', 'list')),
  nothing: editResultLines(setValue('/response/body', {})),
};

export const batchesResultsBodyOfEndpoint = implied('batches.results.body-of-endpoint', {
  says: 'The body of a successful result is a response of the endpoint of its batch.',
  selector: where(
    batchResults,
    that('of an endpoint with a known answer', ({ batch }) => shapeOf(batch) !== undefined),
    that('with a success in the output file', ({ output }) => output?.lines.some(isSuccess) === true),
  ),
  check: ({ batch, output }) => {
    const keeps = schemaValidator(shapeOf(batch) ?? CHAT);
    return (output === null ? [] : allResultLines(output)).flatMap((line) => {
      const body = valueAtPath(line.value, 'response', 'body');
      if (!isSuccess(line) || !isObject(body)) return [];
      return keeps(body).map(({ pointer, message }) =>
        violation(
          `${line.at} /response/body${pointer}`,
          `${shapeOf(batch)}: ${message}`,
          at(body, pointer),
          line.exchange,
        ),
      );
    });
  },
  mutations: batchesResultsBodyOfEndpointMutations,
});

/** The schema of a complete response of the endpoint; undefined where the specification does not show it. */
function shapeOf(batch: Json): string | undefined {
  switch (textAt(batch, 'endpoint')) {
    case CHAT:
      return 'chat.completion';
    case COMPLETIONS:
      return 'text_completion';
    default:
      return undefined;
  }
}

function malformed(schema: string) {
  return (line: ResultLine & { readonly exchange: string }): Violation[] =>
    line.value === undefined
      ? []
      : schemaValidator(schema)(line.value).map(({ pointer, message }) =>
          violation(
            `${line.at} ${pointer}`.trimEnd(),
            `${schema}: ${message}`,
            at(line.value, pointer),
            line.exchange,
          ),
        );
}

function at(value: Json | undefined, pointer: string): Json | undefined {
  const steps = pointer.split('/').slice(1);
  return valueAtPath(value, ...steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)));
}
