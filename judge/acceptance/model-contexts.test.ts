import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/json.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function chat(more: JsonObject, response: ResponseSketch): CallSketch {
  const messages = [{ role: 'user', content: 'Count.' }];
  return ['createChatCompletion', { body: { model: 'm', messages, ...more } }, response];
}

function verdictOf(...sent: readonly CallSketch[]) {
  const { refused, open } = evaluateAcceptance([chat({}, OK), ...sent]);
  return { refused: refused.get('createChatCompletion') ?? 0, open };
}

test('a request must be accepted if it fits the assumed context, or the largest total that its model has reported', () => {
  const dense = (length: number, response: ResponseSketch) =>
    chat({ messages: [{ role: 'user', content: '\u4e00'.repeat(length / 3) }] }, response);
  const unknown = { refused: 0, open: { context: 1 } };
  const due = { refused: 1, open: {} };
  expect(verdictOf(dense(15_000, NO))).toEqual(unknown);
  expect(verdictOf(dense(1500, NO))).toEqual(due);
  expect(verdictOf(chat({ max_tokens: 4000 }, NO))).toEqual(unknown);
  const usage = { prompt_tokens: 16_000, completion_tokens: 100, total_tokens: 16_100 };
  const used = (count: number, more: JsonObject = {}) =>
    chat(more, { json: { id: 'x', choices: Array.from({ length: count }, () => ({})), usage } });
  expect(verdictOf(used(1), dense(15_000, NO))).toEqual(due);
  // The usage is the sum over the choices, and each choice has the whole context to itself.
  expect(verdictOf(used(2, { n: 2 }), dense(15_000, NO))).toEqual(unknown);
  expect(verdictOf(used(1, { best_of: 2 }), dense(15_000, NO))).toEqual(unknown);
});
