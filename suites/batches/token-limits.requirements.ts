// A result that is longer than its request permits may belong to another request.
import { mostTextTokens } from '../completions/texts.ts';
import { rowOf } from '../rows/rows.ts';
import { changeBytes, setValue } from '../vocabulary/changes.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import { type BatchResults, batchResults, isSuccess, requestLinesOf } from './results.ts';

const withTokenLimit = that<BatchResults>(
  'with the completion_tokens of a success whose request has max_tokens, and no echo',
  (evidence) => linesWithTokenLimit(evidence).length > 0,
);

export const batchesResultsOfRequest = rowOf('batches.results.of-request', {
  evidence: where(batchResults, withTokenLimit),
  check: (evidence) =>
    linesWithTokenLimit(evidence)
      .filter(({ used, limit }) => used > limit)
      .map(({ at, exchange, used, limit }) => {
        const place = `${at} /response/body/usage/completion_tokens`;
        return violation(place, `at most ${limit}, as its request says`, used, exchange);
      }),
  broken_by: { 'the answer to another request': changeBytes('retrieveFileContent', rotateIds) },
});

function linesWithTokenLimit(evidence: BatchResults) {
  const requests = new Map(
    (requestLinesOf(evidence) ?? []).map(({ value }) => [textAt(value, 'custom_id'), value] as const),
  );
  return evidence.lines.filter(isSuccess).flatMap(({ value, at, exchange }) => {
    const request = valueAtPath(requests.get(textAt(value, 'custom_id')), 'body');
    const limit = mostTextTokens(request, arrayAt(value, 'response', 'body', 'choices').length);
    const used = numberAt(value, 'response', 'body', 'usage', 'completion_tokens');
    return limit === undefined || used === undefined ? [] : [{ at, exchange, used, limit }];
  });
}

function rotateIds(content: Uint8Array): Uint8Array {
  const lines = Buffer.from(content)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  if (!lines.every((line) => line.includes('"custom_id"') && line.includes('"response"'))) return content;
  const ids = lines.map((line) => textAt(JSON.parse(line), 'custom_id') ?? '');
  const rotated = lines.map((line, i) =>
    JSON.stringify(setValue('/custom_id', ids[(i + 1) % ids.length] ?? '')(JSON.parse(line))),
  );
  return Buffer.from(rotated.map((line) => `${line}\n`).join(''));
}
