import { describe, expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import type { Json } from '../exchange/http/body.ts';
import { acceptanceRequirements } from '../judge/acceptance/acceptance.ts';
import { catalogueOf } from '../judge/testing/clean-trace.ts';
import { cutInTime, judgeOneByOne, judgeWhole } from '../judge/testing/cut-trace.ts';
import { type CallSketch, evaluateAcceptance } from '../judge/testing/evaluate-acceptance.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../judge/testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const BUSY: ResponseSketch = { status: 503, json: { error: { message: 'busy' } } };

interface SentRequest {
  readonly says: { readonly [name: string]: Json };
  /** How many exchanges had ended when it was sent; all earlier ones if absent. */
  readonly after?: number;
}

function createCalls(
  requests: readonly SentRequest[],
  failureOf: (request: SentRequest, position: number) => ResponseSketch | null,
): readonly CallSketch[] {
  return requests.map((request, position) => {
    const messages = [{ role: 'user', content: `text ${position}` }];
    const after = request.after === undefined ? {} : { after: request.after };
    return [
      'createChatCompletion',
      { body: { model: 'm', messages, ...request.says }, ...after },
      failureOf(request, position) ?? OK,
    ];
  });
}

function findCauses(sent: readonly CallSketch[]) {
  return evaluateAcceptance(sent, { chat: 'm' }, 'some').breakdowns.map(
    ({ features, statuses, with: share }) => [features.join('&'), statuses, share.failed],
  );
}

const PLAIN: SentRequest = { says: {} };
const STOP: readonly SentRequest[] = [
  { says: { stop: 'a' } },
  { says: { stop: ['a'] } },
  { says: { stop: ['a', 'b'], n: 2 } },
];
const SPREAD: readonly SentRequest[] = [
  ...Array.from({ length: 3 }, () => [...Array.from({ length: 20 }, () => PLAIN), ...STOP]).flat(),
  ...Array.from({ length: 20 }, (_, n) => ({ says: { temperature: n / 10 } })),
];
const stops = ({ says }: SentRequest) => 'stop' in says;

describe('a target that fails', () => {
  test.each<readonly [string, ResponseSketch, number | null]>([
    ['503', BUSY, 503],
    ['429', { status: 429 }, 429],
    ['500', { status: 500 }, 500],
    ['no answer in time', { status: 0, how: 'upstream-timeout' }, null],
  ])('with %s each time for a parameter has this parameter as its cause', (_, answer, status) => {
    expect(findCauses(createCalls(SPREAD, (one) => (stops(one) ? answer : null)))).toEqual([
      ['body.stop', [status], 9],
    ]);
  });

  test('for a parameter but not for its null has the parameter as its one cause', () => {
    const requests = SPREAD.flatMap((one, n) => (n % 25 === 24 ? [one, { says: { stop: null } }] : [one]));
    const sent = createCalls(requests, ({ says }) => (says['stop'] == null ? null : BUSY));
    expect(findCauses(sent)).toEqual([['body.stop', [503], 9]]);
  });

  test('for two parameters has two causes with their counts', () => {
    const requests = SPREAD.map((one, n) => (n % 7 === 3 ? { says: { ...one.says, seed: n } } : one));
    const isEither = (one: SentRequest) => stops(one) || 'seed' in one.says;
    const { breakdowns } = evaluateAcceptance(
      createCalls(requests, (one) => (isEither(one) ? BUSY : null)),
      { chat: 'm' },
      'some',
    );
    expect(breakdowns.map(({ features }) => features)).toEqual([['body.seed'], ['body.stop']]);
    const seeded = requests.filter(({ says }) => 'seed' in says).length;
    const stopping = requests.filter(stops).length;
    const both = requests.filter((one) => stops(one) && 'seed' in one.says).length;
    expect(breakdowns[0]?.with).toEqual({ failed: seeded, total: seeded });
    expect(breakdowns[0]?.without).toEqual({ failed: stopping - both, total: requests.length - seeded });
  });

  test('for two parameters together, and for neither alone, has the pair as its cause', () => {
    const requests = SPREAD.flatMap((one, n) =>
      stops(one)
        ? [one, { says: { ...one.says, seed: n } }, { says: { stop: 'b', seed: 100 + n } }]
        : [one, ...(n % 5 === 0 ? [{ says: { seed: n } }] : [])],
    );
    const sent = createCalls(requests, (one) => (stops(one) && 'seed' in one.says ? BUSY : null));
    expect(findCauses(sent)).toEqual([['body.seed&body.stop', [503], 18]]);
  });
});

function amongOthers(sent: readonly CallSketch[]): readonly CallSketch[] {
  return sent.flatMap((one): readonly CallSketch[] => [
    one,
    ['listModels', {}, { json: { object: 'list', data: [] } }],
  ]);
}

const MANY: readonly SentRequest[] = Array.from({ length: 60 }, () => PLAIN);
const FIVE: readonly SentRequest[] = Array.from({ length: 5 }, (_, n) => ({ says: { stop: `${n}` } }));

describe('no parameter is named if a target fails', () => {
  const orders: Readonly<Record<string, readonly CallSketch[]>> = {
    'for a time in which all requests with the parameter were sent': createCalls(
      [...Array.from({ length: 90 }, () => PLAIN), ...STOP, ...STOP, ...STOP, PLAIN, PLAIN],
      (one) => (stops(one) ? BUSY : null),
    ),
    'for a time, and for this operation alone': amongOthers(
      createCalls([...MANY, ...FIVE, ...MANY], (one) => (stops(one) ? BUSY : null)),
    ),
    'from some request of this operation onwards': amongOthers(
      createCalls([...MANY, ...FIVE, PLAIN, PLAIN, PLAIN], (_, position) => (position >= 60 ? BUSY : null)),
    ),
    'from some request onwards': createCalls([...SPREAD, ...STOP, ...STOP], (_, position) =>
      position > 60 ? BUSY : null,
    ),
    'at random': createCalls(SPREAD, (_, position) => (((position * 7919) % 1009) % 3 === 0 ? BUSY : null)),
    'for each request': createCalls(SPREAD, () => BUSY),
    'with 402, which is about the account': createCalls(SPREAD, (one) =>
      stops(one) ? { status: 402 } : null,
    ),
    'for one text': [
      ...createCalls(
        SPREAD.filter((one) => !stops(one)),
        () => null,
      ),
      ...Array.from({ length: 10 }, () => [
        ...createCalls([{ says: { stop: 'a' } }], () => BUSY),
        ...createCalls([PLAIN], () => null),
      ]).flat(),
    ],
    'when a request is sent again': [
      ...createCalls(SPREAD, () => null),
      ...createCalls(SPREAD, (one) => (stops(one) ? BUSY : null)),
    ],
  };
  test.each(Object.entries(orders))('%s', (_, sent) => {
    expect(findCauses(sent)).toEqual([]);
  });

  test('under load, if all requests with the parameter are sent with others in flight', () => {
    const requests = SPREAD.flatMap((_, n): readonly SentRequest[] => {
      const begun = n * 4;
      return [
        PLAIN,
        { says: n % 3 === 0 ? { stop: 'a' } : {}, after: begun },
        PLAIN,
        { says: {}, after: begun + 2 },
      ];
    });
    expect(findCauses(createCalls(requests, ({ after }) => (after === undefined ? null : BUSY)))).toEqual([]);
  });

  test('if the requests were not sent by a scenario', () => {
    const sent = createCalls(SPREAD, (one) => (stops(one) ? BUSY : null));
    expect(evaluateAcceptance(sent).breakdowns).toEqual([]);
  });
});

test('parts of the traffic add up to the verdicts of the whole, which name the cause', () => {
  const trace = new TraceBuilder();
  for (const [operation, request, response] of createCalls(SPREAD, (one) => (stops(one) ? BUSY : null)))
    trace.add(operation, request, response);
  const items = trace.exchanges.map((one): Exchange => ({ ...one, scenario: 'some' }));
  const options = {
    catalogue: { ...catalogueOf(), requirementSets: [acceptanceRequirements()] },
    header: testTraceHeader({ models: { chat: 'm' } }),
  };
  const traces = cutInTime(items, 50);
  const whole = judgeWhole(options, traces);
  expect(judgeOneByOne(options, traces)).toEqual(whole);
  expect(whole.diagnoses).toEqual([]);
  expect(whole.requirements.find(({ id }) => id === 'createChatCompletion:accepts')).toMatchObject({
    verdict: 'fail',
    findings: [
      {
        at: '5xx for requests with body.stop',
        actual: 'answers 503 to body.stop: 9 of 9 requests with it, 0 of 80 without',
        exchange: 'e21',
        causeId: 'createChatCompletion:accepts#body.stop',
      },
    ],
  });
});
