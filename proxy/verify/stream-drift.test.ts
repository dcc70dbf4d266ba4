import { expect, test } from 'vitest';
import { readEvents } from '../../exchange/http/sse-reader.ts';
import type { Json, JsonObject } from '../../schemas/json.ts';
import { IdMap } from './id-map.ts';
import { findStreamDrifts } from './stream-drift.ts';

function driftsOf(
  recorded: readonly Json[],
  now: readonly Json[],
  ignore: readonly (readonly string[])[] = [],
) {
  const events = (values: readonly Json[]) => {
    const text = [...values.map((value) => JSON.stringify(value)), '[DONE]'];
    return readEvents(Buffer.from(text.map((data) => `data: ${data}\n\n`).join('')))?.events ?? [];
  };
  return findStreamDrifts(events(recorded), events(now), {
    ignore,
    ids: new IdMap(),
    isSent: () => false,
  });
}

interface Choice extends JsonObject {
  readonly index: number;
  readonly delta: Json;
}

const chunk = (choices: readonly Choice[]) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices,
});
const piece = (delta: Json, reason: string | null = null, index = 0) =>
  chunk([{ index, delta, finish_reason: reason }]);

const REPLY = [piece({ role: 'assistant', content: '' }), piece({ content: 'a' }), piece({}, 'stop')];

test('the number of deltas, and other texts and ids, do not count', () => {
  const now = [
    piece({ role: 'assistant', content: '' }),
    ...'bcd'.split('').map((content) => piece({ content })),
  ];
  const other = [...now, piece({}, 'stop')].map((one) => ({ ...one, id: 'chatcmpl-2' }));
  expect(driftsOf(REPLY, other)).toEqual([]);
  expect(driftsOf(other, REPLY)).toEqual([]);
});

test('a stream of one chunk does not differ from one of several', () => {
  const role = { role: 'assistant', content: 'a' };
  expect(driftsOf([piece(role), piece({}, 'stop')], [piece(role, 'stop')])).toEqual([]);
});

test.each([
  [
    'that an early chunk has as well',
    [piece({ role: 'assistant', content: '' }, 'stop'), ...REPLY.slice(1)],
    1,
    '"stop", then null, then "stop"',
  ],
  [
    'that all chunks have',
    REPLY.map(({ choices }) => chunk(choices.map((one) => ({ ...one, finish_reason: 'stop' })))),
    1,
    '"stop"',
  ],
  [
    'that no chunk has',
    REPLY.map(({ choices }) => chunk(choices.map((one) => ({ ...one, finish_reason: null })))),
    1,
    'null',
  ],
  ['with another value', [...REPLY.slice(0, 2), piece({}, 'length')], 3, 'null, then "length"'],
  [
    'that earlier chunks leave out',
    [
      ...REPLY.slice(0, 2).map(({ choices }) => chunk(choices.map(({ index, delta }) => ({ index, delta })))),
      ...REPLY.slice(2),
    ],
    1,
    'absent, then "stop"',
  ],
])('a finish_reason %s is a drift', (_, now, event, words) => {
  expect(driftsOf(REPLY, now)).toEqual([
    {
      kind: 'stream-value',
      at: `event ${event} /choices/0/finish_reason`,
      recorded: 'null, then "stop"',
      now: words,
    },
  ]);
});

const endingIn = (first: string | null, last: string) => [
  piece({ role: 'assistant', content: '' }, first),
  piece({ content: 'a' }, first),
  piece({}, last),
];

test.each([
  [null, 'stop', '', 'stop', 1, 'null, then "stop"', '"", then "stop"'],
  ['', 'stop', null, 'stop', 1, '"", then "stop"', 'null, then "stop"'],
  ['', 'stop', '', 'length', 3, '"", then "stop"', '"", then "length"'],
])(
  'a finish_reason of %j, then %j, now %j, then %j is a drift',
  (first, last, nowFirst, nowLast, event, recorded, now) => {
    expect(driftsOf(endingIn(first, last), endingIn(nowFirst, nowLast))).toEqual([
      { kind: 'stream-value', at: `event ${event} /choices/0/finish_reason`, recorded, now },
    ]);
  },
);

test('a finish_reason that is "" before its end does not differ from itself', () => {
  expect(driftsOf(endingIn('', 'stop'), endingIn('', 'stop'))).toEqual([]);
});

const ROLE = piece({ role: 'assistant', content: '' });
const replyOf = (...reasons: readonly (string | null)[]) => [
  ROLE,
  ...reasons.map((reason) => piece({ content: 'a' }, reason)),
];
const ONE_END = 'null, then "stop" in the last chunk of the choice';
const THREE_ENDS = 'null, then "stop" in the last 3 chunks of the choice';

test.each([
  ['the service repeats', [null, null, 'stop'], ['stop', 'stop', 'stop'], 2, [ONE_END, THREE_ENDS]],
  ['only the recording repeats', ['stop', 'stop', 'stop'], [null, null, 'stop'], 4, [THREE_ENDS, ONE_END]],
])('a finish_reason that %s after the role is a drift', (_, recorded, now, event, words) => {
  expect(driftsOf(replyOf(...recorded), replyOf(...now))).toEqual([
    {
      kind: 'stream-value',
      at: `event ${event} /choices/0/finish_reason`,
      recorded: words[0],
      now: words[1],
    },
  ]);
});

test('a stream of one chunk does not show whether the service repeats the finish_reason', () => {
  const one = [piece({ role: 'assistant', content: 'a' }, 'stop')];
  expect(driftsOf(one, replyOf(null, 'stop'))).toEqual([]);
  expect(driftsOf(one, replyOf('stop', 'stop'))).toEqual([]);
  expect(driftsOf(replyOf('stop'), replyOf('stop', 'stop'))).toEqual([]);
});

test('a repeated finish_reason concerns its own choice', () => {
  const two = (...ends: readonly number[]) => [
    ...[0, 1].map((index) => piece({ role: 'assistant', content: '' }, null, index)),
    ...[0, 1].map((index) => piece({ content: 'a' }, null, index)),
    ...ends.map((index) => piece({ content: 'a' }, 'stop', index)),
    { ...chunk([]), usage: { total_tokens: 3 } },
  ];
  expect(driftsOf(two(0, 1), two(1, 0))).toEqual([]);
  expect(driftsOf(two(0, 1), two(1, 0, 1)).map(({ at }) => at)).toEqual(['event 5 /choices/1/finish_reason']);
});

test.each([
  ['with different numbers of chunks', replyOf(null, null, null, 'stop'), replyOf('stop')],
  [
    'that both repeat the finish_reason, with different numbers of chunks',
    replyOf('stop', 'stop'),
    replyOf('stop', 'stop', 'stop'),
  ],
  ['without an end', replyOf(null), replyOf(null, null, null)],
  [
    'with another member of a choice that all chunks but the first have',
    [ROLE, chunk([{ index: 0, delta: {}, finish_reason: 'stop', tier: 'a' }])],
    [
      ROLE,
      ...[null, 'stop'].map((reason) => chunk([{ index: 0, delta: {}, finish_reason: reason, tier: 'a' }])),
    ],
  ],
])('streams %s do not differ in their end', (_, recorded, now) => {
  const withUsage = (chunks: readonly Json[]) => [...chunks, { ...chunk([]), usage: { total_tokens: 3 } }];
  expect(driftsOf(recorded, now)).toEqual([]);
  expect(driftsOf(now, recorded)).toEqual([]);
  expect(driftsOf(withUsage(recorded), withUsage(now))).toEqual([]);
});

test('choices may arrive in any order, and each is compared with its counterpart', () => {
  const both = (order: readonly number[]) => order.map((index) => piece({ content: 'x' }, null, index));
  const ends = [piece({}, 'stop', 0), piece({}, 'length', 1)];
  expect(driftsOf([...both([0, 1, 0, 1]), ...ends], [...both([1, 1, 0]), ...ends.toReversed()])).toEqual([]);
  const swapped = [piece({}, 'length', 0), piece({}, 'stop', 1)];
  expect(driftsOf([...both([0, 1]), ...ends], [...both([0, 1]), ...swapped]).map(({ at }) => at)).toEqual([
    'event 3 /choices/0/finish_reason',
    'event 4 /choices/1/finish_reason',
  ]);
});

test('a missing choice is a drift', () => {
  const two = [...REPLY, ...REPLY.map(({ choices }) => chunk(choices.map((one) => ({ ...one, index: 1 }))))];
  expect(driftsOf(two, REPLY)).toEqual([
    { kind: 'stream-value', at: '/choices/1', recorded: 'an object', now: 'absent' },
  ]);
});

test('an id that changes from chunk to chunk is a drift, unless it always did', () => {
  const changing = REPLY.map((one, i) => ({ ...one, id: `chatcmpl-${i}` }));
  expect(driftsOf(REPLY, changing)).toMatchObject([{ kind: 'stream-value', at: 'event 2 /id' }]);
  const again = [...REPLY.slice(0, 2), ...REPLY.slice(1)].map((one, i) => ({ ...one, id: `chatcmpl-9${i}` }));
  expect(driftsOf(changing, again)).toEqual([]);
});

test('pieces of tool calls may be split elsewhere; their names may not differ', () => {
  const call = (name: string, pieces: readonly string[], id = 'call_abc123') => [
    piece({
      role: 'assistant',
      tool_calls: [{ index: 0, id, type: 'function', function: { name, input: '' } }],
    }),
    ...pieces.map((input) => piece({ tool_calls: [{ index: 0, function: { input } }] })),
    piece({}, 'tool_calls'),
  ];
  expect(driftsOf(call('f', ['{"a', '":1}']), call('f', ['{', '"a', '":2}'], 'call_xyz789'))).toEqual([]);
  expect(driftsOf(call('f', ['{}']), call('g', ['{}']))).toEqual([
    {
      kind: 'stream-value',
      at: 'event 1 /choices/0/delta/tool_calls/0/function/name',
      recorded: '"f"',
      now: '"g"',
    },
  ]);
});

test('a member whose name is a number is compared like any other', () => {
  const withTag = (tag: string) => REPLY.map((one) => ({ ...one, metadata: { 1: tag } }));
  expect(driftsOf(withTag('a'), withTag('b'))).toEqual([
    { kind: 'stream-value', at: 'event 1 /metadata/1', recorded: '"a"', now: '"b"' },
  ]);
});

test('a difference at an ignored place is not a drift', () => {
  const now = [...REPLY.slice(0, 2), piece({}, 'length')];
  expect(driftsOf(REPLY, now, [['choices', '*', 'finish_reason']])).toEqual([]);
});
