import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { Call } from '../../judge/trace/call.ts';
import { promptCounts } from './prompts.ts';

type SentRequest = readonly [fields: Readonly<Record<string, Json>>, promptTokens: Json];

function promptCountsIn(requests: readonly SentRequest[]) {
  const trace = new TraceBuilder();
  for (const [fields, prompt_tokens] of requests)
    trace.add(
      'createCompletion',
      { body: { model: 'any', ...fields } },
      { json: { usage: { prompt_tokens } } },
    );
  const collector = promptCounts.collect();
  return trace.exchanges.flatMap((exchange) => {
    const call = Call.from(exchange, 'Vendor-Beta');
    return call === null ? [] : [...collector.call(call)];
  });
}

test.for<[order: string, requests: readonly SentRequest[], together: number, least: number]>([
  [
    'after one of them alone',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', 'c'] }, 2],
    ],
    2,
    3,
  ],
  [
    'of tokens, after one of them alone',
    [
      [{ prompt: [4, 5] }, 2],
      [{ prompt: [[4, 5], [6]] }, 3],
    ],
    3,
    3,
  ],
  [
    'after both alone',
    [
      [{ prompt: 'a b c' }, 3],
      [{ prompt: 'd' }, 1],
      [{ prompt: ['d', 'a b c'] }, 4],
    ],
    4,
    4,
  ],
])(
  'the minimum for several prompts %s is one token more than the longest known one',
  ([, requests, ...counts]) => {
    expect(promptCountsIn(requests).map(({ together, least }) => [together, least])).toEqual([counts]);
  },
);

test.for<[kind: string, requests: readonly SentRequest[]]>([
  [
    'several prompts before one of them alone',
    [
      [{ prompt: ['a b', 'c'] }, 2],
      [{ prompt: 'a b' }, 2],
    ],
  ],
  [
    'several prompts with another number of texts each',
    [
      [{ prompt: 'a', n: 2 }, 2],
      [{ prompt: ['a', 'b'] }, 2],
    ],
  ],
  [
    'several prompts with an empty one',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', ''] }, 2],
    ],
  ],
  [
    'a list of one prompt',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b'] }, 2],
    ],
  ],
  [
    'several prompts with echo',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', 'c'], echo: true }, 2],
    ],
  ],
  [
    'several prompts without prompt_tokens',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', 'c'] }, null],
    ],
  ],
])('the tokens of %s have no known minimum', ([, requests]) => {
  expect(promptCountsIn(requests)).toEqual([]);
});
