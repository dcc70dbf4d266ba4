import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { judgeTrace } from '../../explain/judge.ts';
import { catalogueOf } from '../testing/catalogue-of-sets.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { acceptanceRequirements } from './acceptance.ts';

const CLOSED: ResponseSketch = { status: 0, how: 'upstream-reset' };

function verdictOf(
  answers: readonly ('answered' | 'closed' | 'busy')[],
  keepAlive: string | null,
  textOf = (n: number) => `text ${n}`,
) {
  const trace = new TraceBuilder();
  const headers = keepAlive === null ? [] : [['Keep-Alive', keepAlive] as const];
  for (const [n, one] of answers.entries())
    trace.add(
      'createModeration',
      { body: { input: textOf(n) } },
      { closed: CLOSED, busy: { status: 503 }, answered: { json: { id: 'modr-1', results: [] }, headers } }[
        one
      ],
    );
  const items = trace.exchanges.map((one): Exchange => ({ ...one, scenario: 'some' }));
  const catalogue = { ...catalogueOf(), requirementSets: [acceptanceRequirements()] };
  const { requirements } = judgeTrace(catalogue, testTraceHeader(), items);
  return requirements.find(({ id }) => id === 'createModeration:accepts')?.verdict;
}

test('a connection that closes at the announced limit does not affect the verdict', () => {
  expect(verdictOf(['answered', 'answered', 'closed', 'answered'], 'timeout=5, max=2')).toBe('pass');
});

test('a limit of requests per connection does not explain a closed connection if an equal request fails', () => {
  const repeatText = (n: number) => (n === 0 ? 'other text' : 'text');
  expect(verdictOf(['answered', 'busy', 'closed'], 'timeout=5, max=2', repeatText)).toBe('inconclusive');
  expect(verdictOf(['answered', 'closed', 'busy'], 'timeout=5, max=2', repeatText)).toBe('inconclusive');
});

test('more closed connections than the limit explains leave the verdict inconclusive', () => {
  const answers = ['answered', 'closed', 'closed', 'closed', 'answered'] as const;
  expect(verdictOf(answers, 'timeout=5, max=100')).toBe('inconclusive');
});

test('a connection that closes without an announced limit leaves the verdict inconclusive', () => {
  expect(verdictOf(['answered', 'closed', 'answered'], 'timeout=5')).toBe('inconclusive');
  expect(verdictOf(['answered', 'closed', 'answered'], null)).toBe('inconclusive');
});

test.for([
  ['before', ['refused', 'closed', 'closed']],
  ['after', ['closed', 'closed', 'refused']],
] as const)('a connection does not close each time if an equal request was refused %s', ([, answers]) => {
  const refused: ResponseSketch = { status: 400, json: {} };
  const sketches = answers.map(
    (one): CallSketch => [
      'createModeration',
      { body: { input: 'text' } },
      one === 'closed' ? CLOSED : refused,
    ],
  );
  const { unanswered } = evaluateAcceptance([['listModels', {}, { json: {} }], ...sketches], {}, 'some');
  expect(unanswered).toHaveLength(1);
  expect(unanswered[0]).not.toHaveProperty('closed');
});

test('closed connections fail the operation only if each of several equal requests ends in one', () => {
  const repeatText = (n: number) => (n === 0 ? 'other text' : 'text');
  expect(verdictOf(['answered', 'closed', 'closed'], null, repeatText)).toBe('fail');
  expect(verdictOf(['answered', 'closed', 'closed'], null)).toBe('inconclusive');
  expect(verdictOf(['answered', 'closed', 'closed', 'answered'], null, repeatText)).toBe('pass');
});
