import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { judgeTrace } from '../../explain/judge.ts';
import { probeRequirements } from '../probe/probe-evaluator.ts';
import { catalogueOf } from '../testing/catalogue-of-sets.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { acceptanceRequirements } from './acceptance.ts';

const OK: ResponseSketch = { json: { object: 'list', data: [] } };

function verdictOf(sent: readonly (readonly [string, ResponseSketch])[], scenario: string | null = 'some') {
  const trace = new TraceBuilder();
  for (const [input, answer] of sent) trace.add('createModeration', { body: { input } }, answer);
  const items = trace.exchanges.map((one): Exchange => ({ ...one, scenario }));
  const catalogue = { ...catalogueOf(), requirementSets: [acceptanceRequirements()] };
  const { requirements } = judgeTrace(catalogue, testTraceHeader(), items);
  const { verdict, cause } = requirements.find(({ id }) => id === 'createModeration:accepts') ?? {};
  return [verdict, cause?.kind];
}

test.each<readonly [string, ResponseSketch, string]>([
  ['an error of the target', { status: 500 }, 'target-error'],
  ['a lack of capacity', { status: 429 }, 'capacity'],
  ['a spent budget', { status: 402, json: {} }, 'capacity'],
  ['a body that is too large', { status: 413, json: {} }, 'capacity'],
  ['a filter of texts', { status: 400, json: { error: { code: 'content_filter' } } }, 'model'],
  ['the policy of a filter', { status: 400, json: { error: { type: 'content_policy_violation' } } }, 'model'],
  ['no answer in time', { status: 0, how: 'upstream-timeout' }, 'capacity'],
  ['a reset connection', { status: 0, how: 'upstream-reset' }, 'protocol'],
  ['a redirection', { status: 302 }, 'protocol'],
])('a valid request that got only %s leaves open whether all are accepted', (_, answer, cause) => {
  expect(
    verdictOf([
      ['a', OK],
      ['b', answer],
      ['c', OK],
    ]),
  ).toEqual(['inconclusive', cause]);
});

test('the verdict is a pass if an equal request is accepted before or after', () => {
  expect(
    verdictOf([
      ['a', OK],
      ['b', { status: 500 }],
      ['b', OK],
    ]),
  ).toEqual(['pass', undefined]);
  expect(
    verdictOf([
      ['b', OK],
      ['b', { status: 500 }],
    ]),
  ).toEqual(['pass', undefined]);
});

test('a form equals the same form with another boundary, but not a form with another file', () => {
  const trace = new TraceBuilder();
  const upload = (value: string, answer: ResponseSketch) =>
    trace.add(
      'createFile',
      {
        form: [
          { name: 'purpose', value: 'assistants' },
          { name: 'file', value, filename: 'a.txt' },
        ],
      },
      answer,
    );
  const file = {
    id: 'file-1',
    object: 'file',
    bytes: 3,
    created_at: 1,
    filename: 'a.txt',
    purpose: 'assistants',
  };
  upload('one', { status: 429 });
  upload('one', { json: file });
  const verdict = (items: readonly Exchange[]) => {
    const catalogue = { ...catalogueOf(), requirementSets: [acceptanceRequirements()] };
    const { requirements } = judgeTrace(catalogue, testTraceHeader(), items);
    return requirements.find(({ id }) => id === 'createFile:accepts')?.verdict;
  };
  const items = trace.exchanges.map((one): Exchange => ({ ...one, scenario: 'some' }));
  const again = items.map((one, i) => (i === 0 ? one : withBoundary(one, 'another-boundary')));
  expect(again[1]?.request.body.sha256).not.toBe(items[1]?.request.body.sha256);
  expect([verdict(items), verdict(again)]).toEqual(['pass', 'pass']);
  upload('two', { status: 429 });
  const other = trace.exchanges.slice(-2).map((one): Exchange => ({ ...one, scenario: 'some' }));
  expect(verdict(other)).toBe('inconclusive');
});

function withBoundary(exchange: Exchange, boundary: string): Exchange {
  const { request } = exchange;
  const [, type = ''] = request.headers.find(([name]) => name === 'Content-Type') ?? [];
  const before = type.split('boundary=')[1] ?? '';
  const body = Body.from((request.body.text ?? '').replaceAll(before, boundary));
  const headers = request.headers.map(([name, value]) => [name, value.replace(before, boundary)] as const);
  return { ...exchange, request: { ...request, headers, body } };
}

test('a refusal outweighs an error of the target', () => {
  expect(
    verdictOf([
      ['a', OK],
      ['b', { status: 500 }],
      ['c', { status: 400 }],
    ]),
  ).toEqual(['fail', undefined]);
});

test.each<readonly [string, ResponseSketch, string | null]>([
  ['the scenario aborted the request', { status: 0, how: 'client-abort' }, 'some'],
  ['the traffic is not from a scenario', { status: 500 }, null],
])('an unanswered request is not counted if %s', (_, answer, scenario) => {
  expect(
    verdictOf(
      [
        ['a', OK],
        ['b', answer],
      ],
      scenario,
    ),
  ).toEqual(['pass', undefined]);
});

describe('a request that gets 5xx each time that it is sent', () => {
  const crash: ResponseSketch = { status: 500 };
  const [a, b, c] = [['a', OK] as const, ['b', crash] as const, ['c', OK] as const];

  test('is a failure, however quickly it is repeated', () => {
    expect(verdictOf([a, b, b, b, c])).toEqual(['fail', undefined]);
    expect(verdictOf([a, b, c, b, a, b])).toEqual(['fail', undefined]);
  });

  test('with 502 from a gateway is a failure only if another request was accepted in between', () => {
    const away = ['b', { status: 502 }] as const;
    expect(verdictOf([a, away, away, away, c])).toEqual(['inconclusive', 'target-error']);
    expect(verdictOf([a, away, c, away, a, away])).toEqual(['fail', undefined]);
  });

  test.each<readonly [string, readonly (readonly [string, ResponseSketch])[]]>([
    ['it was sent only twice', [a, b, c, b]],
    ['other requests fail at the same time', [a, b, ['d', crash], b, ['d', crash], b, ['d', crash], c]],
    [
      'requests fail at random',
      [...'defghi']
        .flatMap(
          (name) =>
            [
              [name, crash],
              [name, OK],
            ] as const,
        )
        .concat([b, b, b]),
    ],
  ])('is not a failure if %s', (_, sent) => {
    expect(verdictOf(sent)).toEqual(['inconclusive', 'target-error']);
  });

  const VIOLATED = 'createChatCompletion:body.temperature#maximum.rejected';
  const body = { model: 'm', messages: [{ role: 'user', content: 'a' }] };
  const label = { operation: 'createChatCompletion', pointer: 'body.temperature', keyword: 'maximum' };

  test.each<readonly [string, ResponseSketch, number, string]>([
    ['is a failure if its control is accepted', { json: {} }, 3, 'fail'],
    ['is undecided after two attempts', { json: {} }, 2, 'inconclusive'],
    ['is undecided if its control fails, too', crash, 3, 'inconclusive'],
  ])('and violates a constraint %s', (_, answer, attempts, verdict) => {
    const trace = new TraceBuilder();
    const violation = { ...label, id: 'p2', side: 'violation', control: 'p1' } as const;
    trace.add('createChatCompletion', { body }, { json: {} });
    for (let n = 0; n < 3; n += 1) {
      const control = { ...label, id: 'p1', side: 'valid', control: null } as const;
      trace.add('createChatCompletion', { body: { ...body, temperature: 2 }, probe: control }, answer);
      if (n < attempts)
        trace.add('createChatCompletion', { body: { ...body, temperature: 3 }, probe: violation }, crash);
      trace.add('createModeration', { body: { input: `${n}` } }, OK);
    }
    const items = trace.exchanges.map((one): Exchange => ({ ...one, scenario: 'some' }));
    const sets = [acceptanceRequirements(), probeRequirements()];
    const judged = judgeTrace({ ...catalogueOf(), requirementSets: sets }, testTraceHeader(), items);
    expect(judged.requirements.find(({ id }) => id === VIOLATED)?.verdict).toBe(verdict);
  });

  test('is not a failure if it gets 503, because the target may lack capacity', () => {
    const busy = ['b', { status: 503 }] as const;
    expect(verdictOf([a, busy, busy, busy, c])).toEqual(['inconclusive', 'capacity']);
  });
});

describe('a key that is refused', () => {
  const denied: ResponseSketch = { status: 401, json: {} };
  const [a, b, c, d] = ['a', 'b', 'c', 'd'];

  const revoked = [[a, OK] as const, [b, denied] as const, [c, denied] as const, [a, denied] as const];

  test('from some request on is revoked, whatever the requests contain', () => {
    expect(verdictOf(revoked)).toEqual(['inconclusive', 'authentication']);
  });

  test('from some request on does not matter in traffic of other clients', () => {
    expect(verdictOf(revoked, null)).toEqual(['pass', undefined]);
  });

  test('in a header field of a gateway is told from another key', () => {
    const list = (key: string, response: ResponseSketch): CallSketch => [
      'listModels',
      { headers: [['api-key', key]] },
      response,
    ];
    const sent = [list('a', OK), list('b', OK), list('a', denied), list('b', OK)];
    const { refused, unanswered } = evaluateAcceptance(sent, {}, 'some');
    expect([refused.size, unanswered.map(({ exchange, why }) => [exchange, why])]).toEqual([
      0,
      [['e3', 'authentication']],
    ]);
  });

  test('for some requests while it is accepted for others is not revoked', () => {
    const sent = [[a, OK] as const, [b, denied] as const, [c, OK] as const, [d, denied] as const];
    expect(verdictOf(sent)).toEqual(['fail', undefined]);
  });
});
