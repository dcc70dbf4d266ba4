import { schemaValidator } from '../../schemas/index.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import { rowOf } from '../rows/rows.ts';
import { isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { batchResults, isSuccess } from './results.ts';
import { CHAT, COMPLETIONS } from './samples.ts';

export const batchesResultsBodyOfEndpoint = rowOf('batches.results.body-of-endpoint', {
  evidence: where(
    batchResults,
    that('of an endpoint with a known response schema', ({ batch }) => schemaOf(batch) !== undefined),
    that('with a success in the output file', ({ output }) => output?.lines.some(isSuccess) === true),
  ),
  check: ({ batch, output }) => {
    const schema = schemaOf(batch);
    if (schema === undefined) return [];
    const validate = schemaValidator(schema);
    return (output?.lines ?? []).flatMap((line) => {
      const body = valueAtPath(line.value, 'response', 'body');
      if (!isSuccess(line) || !isObject(body)) return [];
      return validate(body).map(({ pointer, message }) =>
        violation(
          `${line.at} /response/body${pointer}`,
          `${schema}: ${message}`,
          valueAtPointer(body, pointer) as Json | undefined, // as: `body` is JSON
          line.exchange,
        ),
      );
    });
  },
});

/** The name of the response schema of the endpoint; undefined if the specification shows none. */
function schemaOf(batch: Json): string | undefined {
  switch (textAt(batch, 'endpoint')) {
    case CHAT:
      return 'chat.completion';
    case COMPLETIONS:
      return 'text_completion';
    default:
      return undefined;
  }
}
