import { describe, expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import type { Json } from '../exchange/http/body.ts';
import { acceptanceRequirements } from '../judge/acceptance/acceptance.ts';
import { catalogueOf } from '../judge/testing/catalogue-of-sets.ts';
import { cutInTime, judgeOneByOne, judgeWhole } from '../judge/testing/cut-trace.ts';
import { type CallSketch, evaluateAcceptance } from '../judge/testing/evaluate-acceptance.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../judge/testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const BUSY: ResponseSketch = { status: 503, json: { error: { message: 'busy' } } };

interface SentRequest {
  readonly parameters: { readonly [name: string]: Json };
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
      { body: { model: 'm', messages, ...request.parameters }, ...after },
      failureOf(request, position) ?? OK,
    ];
  });
}

function findCauses(sent: readonly CallSketch[]) {
  return evaluateAcceptance(sent, { chat: 'm' }, 'some').breakdowns.map(
    ({ features, statuses, with: share }) => [features.join('&'), statuses, share.failed],
  );
}

const PLAIN: SentRequest = { parameters: {} };
const STOP: readonly SentRequest[] = [
  { parameters: { stop: 'a' } },
  { parameters: { stop: ['a'] } },
  { parameters: { stop: ['a', 'b'], n: 2 } },
];
const SPREAD: readonly SentRequest[] = [
  ...Array.from({ length: 3 }, () => [...Array.from({ length: 20 }, () => PLAIN), ...STOP]).flat(),
  ...Array.from({ length: 20 }, (_, n) => ({ parameters: { temperature: n / 10 } })),
];
const hasStop = ({ parameters }: SentRequest) => 'stop' in parameters;

describe('a target that fails', () => {
  test.each<readonly [string, ResponseSketch, number | null]>([
    ['503', BUSY, 503],
    ['429', { status: 429 }, 429],
    ['500', { status: 500 }, 500],
    ['no answer in time', { status: 0, how: 'upstream-timeout' }, null],
  ])('with %s each time for a parameter has this parameter as its cause', (_, answer, status) => {
    expect(findCauses(createCalls(SPREAD, (one) => (hasStop(one) ? answer : null)))).toEqual([
      ['body.stop', [status], 9],
    ]);
  });

  test('for a parameter but not for its null has the parameter as its one cause', () => {
    const requests = SPREAD.flatMap((one, n) =>
      n % 25 === 24 ? [one, { parameters: { stop: null } }] : [one],
    );
    const sent = createCalls(requests, ({ parameters }) => (parameters['stop'] == null ? null : BUSY));
    expect(findCauses(sent)).toEqual([['body.stop', [503], 9]]);
  });

  test('for two parameters has two causes with their counts', () => {
    const requests = SPREAD.map((one, n) =>
      n % 7 === 3 ? { parameters: { ...one.parameters, seed: n } } : one,
    );
    const hasEither = (one: SentRequest) => hasStop(one) || 'seed' in one.parameters;
    const { breakdowns } = evaluateAcceptance(
      createCalls(requests, (one) => (hasEither(one) ? BUSY : null)),
      { chat: 'm' },
      'some',
    );
    const seeded = requests.filter(({ parameters }) => 'seed' in parameters).length;
    const stopping = requests.filter(hasStop).length;
    const both = requests.filter((one) => hasStop(one) && 'seed' in one.parameters).length;
    expect(breakdowns).toMatchObject([
      {
        features: ['body.seed'],
        with: { failed: seeded, total: seeded },
        without: { failed: stopping - both, total: requests.length - seeded },
      },
      {
        features: ['body.stop'],
        with: { failed: stopping, total: stopping },
        without: { failed: seeded - both, total: requests.length - stopping },
      },
    ]);
  });

  test('for two parameters together, and for neither alone, has the pair as its cause', () => {
    const requests = SPREAD.flatMap((one, n) =>
      hasStop(one)
        ? [one, { parameters: { ...one.parameters, seed: n } }, { parameters: { stop: 'b', seed: 100 + n } }]
        : [one, ...(n % 5 === 0 ? [{ parameters: { seed: n } }] : [])],
    );
    const sent = createCalls(requests, (one) => (hasStop(one) && 'seed' in one.parameters ? BUSY : null));
    expect(findCauses(sent)).toEqual([['body.seed&body.stop', [503], 18]]);
  });
});

function addListCalls(sent: readonly CallSketch[]): readonly CallSketch[] {
  return sent.flatMap((one): readonly CallSketch[] => [
    one,
    ['listModels', {}, { json: { object: 'list', data: [] } }],
  ]);
}

const MANY: readonly SentRequest[] = Array.from({ length: 60 }, () => PLAIN);
const FIVE: readonly SentRequest[] = Array.from({ length: 5 }, (_, n) => ({ parameters: { stop: `${n}` } }));

describe('no parameter is named if a target fails', () => {
  const traces: Readonly<Record<string, readonly CallSketch[]>> = {
    'for a time in which all requests with the parameter were sent': createCalls(
      [...Array.from({ length: 90 }, () => PLAIN), ...STOP, ...STOP, ...STOP, PLAIN, PLAIN],
      (one) => (hasStop(one) ? BUSY : null),
    ),
    'for a time, and for this operation alone': addListCalls(
      createCalls([...MANY, ...FIVE, ...MANY], (one) => (hasStop(one) ? BUSY : null)),
    ),
    'from some request of this operation onwards': addListCalls(
      createCalls([...MANY, ...FIVE, PLAIN, PLAIN, PLAIN], (_, position) => (position >= 60 ? BUSY : null)),
    ),
    'from some request onwards': createCalls([...SPREAD, ...STOP, ...STOP], (_, position) =>
      position > 60 ? BUSY : null,
    ),
    'at random': createCalls(SPREAD, (_, position) => (((position * 7919) % 1009) % 3 === 0 ? BUSY : null)),
    'for each request': createCalls(SPREAD, () => BUSY),
    'with 402, which concerns the account': createCalls(SPREAD, (one) =>
      hasStop(one) ? { status: 402 } : null,
    ),
    'for one request, which is sent ten times': [
      ...createCalls(
        SPREAD.filter((one) => !hasStop(one)),
        () => null,
      ),
      ...Array.from({ length: 10 }, () => [
        ...createCalls([{ parameters: { stop: 'a' } }], () => BUSY),
        ...createCalls([PLAIN], () => null),
      ]).flat(),
    ],
    'when a request is sent again': [
      ...createCalls(SPREAD, () => null),
      ...createCalls(SPREAD, (one) => (hasStop(one) ? BUSY : null)),
    ],
  };
  test.each(Object.entries(traces))('%s', (_, sent) => {
    expect(findCauses(sent)).toEqual([]);
  });

  test('under load, and all requests with the parameter are sent with others in flight', () => {
    const requests = SPREAD.flatMap((_, n): readonly SentRequest[] => {
      const earlier = n * 4;
      return [
        PLAIN,
        { parameters: n % 3 === 0 ? { stop: 'a' } : {}, after: earlier },
        PLAIN,
        { parameters: {}, after: earlier + 2 },
      ];
    });
    expect(findCauses(createCalls(requests, ({ after }) => (after === undefined ? null : BUSY)))).toEqual([]);
  });

  test('for requests that no scenario sent', () => {
    const sent = createCalls(SPREAD, (one) => (hasStop(one) ? BUSY : null));
    expect(evaluateAcceptance(sent).breakdowns).toEqual([]);
  });
});

test('traffic judged in parts gets the same verdicts as in one piece, and they name the cause', () => {
  const trace = new TraceBuilder();
  for (const [operation, request, response] of createCalls(SPREAD, (one) => (hasStop(one) ? BUSY : null)))
    trace.add(operation, request, response);
  const items = trace.exchanges.map((one): Exchange => ({ ...one, scenario: 'some' }));
  const options = {
    catalogue: { ...catalogueOf(), requirementSets: [acceptanceRequirements()] },
    header: testTraceHeader({ models: { chat: 'm' } }),
  };
  const traces = cutInTime(items, 50);
  const judgement = judgeWhole(options, traces);
  expect(judgeOneByOne(options, traces)).toEqual(judgement);
  expect(judgement.diagnoses).toEqual([]);
  expect(judgement.requirements.find(({ id }) => id === 'createChatCompletion:accepts')).toMatchObject({
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
