import { schemaValidator } from '../../schemas/index.ts';
import { removeValue, setValue } from '../vocabulary/changes.ts';
import { isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { editResultLines } from './mutations.ts';
import { batchResults, isSuccess } from './results.ts';
import { CHAT, COMPLETIONS } from './samples.ts';

const { implied } = section('2 Batch');

export const batchesResultsBodyOfEndpoint = implied('batches.results.body-of-endpoint', {
  says: 'The body of a successful result is a response of the endpoint of its batch.',
  selector: where(
    batchResults,
    that('of an endpoint with a known answer', ({ batch }) => shapeOf(batch) !== undefined),
    that('with a success in the output file', ({ output }) => output?.lines.some(isSuccess) === true),
  ),
  check: ({ batch, output }) => {
    const keeps = schemaValidator(shapeOf(batch) ?? CHAT);
    return (output === null ? [] : output.lines).flatMap((line) => {
      const body = valueAtPath(line.value, 'response', 'body');
      if (!isSuccess(line) || !isObject(body)) return [];
      return keeps(body).map(({ pointer, message }) =>
        violation(
          `${line.at} /response/body${pointer}`,
          `${shapeOf(batch)}: ${message}`,
          valueAt(body, pointer),
          line.exchange,
        ),
      );
    });
  },
  mutations: {
    'no choices': editResultLines(removeValue('/response/body/choices')),
    'another object': editResultLines(setValue('/response/body/object', 'list')),
    nothing: editResultLines(setValue('/response/body', {})),
  },
});

/** The schema of a complete response of the endpoint; undefined if the specification shows none. */
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

function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  const steps = pointer.split('/').slice(1);
  return valueAtPath(value, ...steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)));
}
