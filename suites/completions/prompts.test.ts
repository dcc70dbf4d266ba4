import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { Call } from '../../judge/trace/call.ts';
import { promptCounts } from './prompts.ts';

type Sent = readonly [fields: Readonly<Record<string, Json>>, promptTokens: Json];

test.for<[string, readonly Sent[], readonly [together: number, least: number][]]>([
  [
    'after one of them alone',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', 'c'] }, 2],
    ],
    [[2, 3]],
  ],
  [
    'of tokens',
    [
      [{ prompt: [4, 5] }, 2],
      [{ prompt: [[4, 5], [6]] }, 3],
    ],
    [[3, 3]],
  ],
  [
    'after both alone, by the longer one',
    [
      [{ prompt: 'a b c' }, 3],
      [{ prompt: 'd' }, 1],
      [{ prompt: ['d', 'a b c'] }, 4],
    ],
    [[4, 4]],
  ],
  [
    'before one of them alone',
    [
      [{ prompt: ['a b', 'c'] }, 2],
      [{ prompt: 'a b' }, 2],
    ],
    [],
  ],
  [
    'with another number of texts each',
    [
      [{ prompt: 'a', n: 2 }, 2],
      [{ prompt: ['a', 'b'] }, 2],
    ],
    [],
  ],
  [
    'with an empty one',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', ''] }, 2],
    ],
    [],
  ],
  [
    'of which there is one',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b'] }, 2],
    ],
    [],
  ],
  [
    'with echo',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', 'c'], echo: true }, 2],
    ],
    [],
  ],
  [
    'without usage',
    [
      [{ prompt: 'a b' }, 2],
      [{ prompt: ['a b', 'c'] }, null],
    ],
    [],
  ],
])('several prompts %s have the expected bounds', ([, sent, expected]) => {
  const trace = new TraceBuilder();
  for (const [fields, prompt_tokens] of sent)
    trace.add(
      'createCompletion',
      { body: { model: 'any', ...fields } },
      { json: { usage: { prompt_tokens } } },
    );
  const collector = promptCounts.collect();
  const evidence = trace.exchanges.flatMap((exchange) => {
    const call = Call.from(exchange, 'Vendor-Beta');
    return call === null ? [] : [...collector.call(call)];
  });
  expect(evidence.map(({ together, least }) => [together, least])).toEqual(expected);
});
