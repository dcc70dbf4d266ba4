import { expect, test } from 'vitest';
import { TraceBuilder, testTraceHeader } from '../judge/testing/trace-builder.ts';
import { countFailures } from '../judge/verdict/failure-count.ts';
import { catalogue } from '../suites/index.ts';
import { judgeTrace } from './judge.ts';

const NO = { status: 400, json: { error: { message: 'no' } } };
const OK = { json: { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [] } };

const HEADER = testTraceHeader({ models: { chat: 'm' }, claims: { families: ['chat'], how: 'given' } });

function createTypeProbe(pointer: string) {
  return {
    id: `createChatCompletion:${pointer}#type.valid`,
    operation: 'createChatCompletion',
    pointer,
    keyword: 'type',
    side: 'valid',
    control: null,
  } as const;
}

const wholeCatalogue = await catalogue();

function createAcceptedTrace(): TraceBuilder {
  const trace = new TraceBuilder();
  for (const content of ['a', 'b', 'c'] as const)
    trace.add(
      'createChatCompletion',
      { body: { model: 'm', messages: [{ role: 'user', content }], n: 1 } },
      OK,
    );
  return trace;
}

function judgeSeedTrace(isSeedRefused: boolean) {
  const trace = createAcceptedTrace();
  const messages = [{ role: 'user', content: 'x' }];
  trace.add(
    'createChatCompletion',
    { body: { model: 'm', messages, n: 2 }, probe: createTypeProbe('body.n') },
    NO,
  );
  trace.add(
    'createChatCompletion',
    { body: { model: 'm', messages, n: 3 }, probe: createTypeProbe('body.seed') },
    NO,
  );
  const answer = isSeedRefused ? NO : OK;
  trace.add(
    'createChatCompletion',
    { body: { model: 'm', messages, seed: 1 }, probe: createTypeProbe('body.seed') },
    answer,
  );
  const { requirements, diagnoses } = judgeTrace(wholeCatalogue, HEADER, trace.exchanges);
  const failing = requirements.filter(
    ({ verdict, id }) => verdict === 'fail' && (id.endsWith('accepts') || id.endsWith('accepted')),
  );
  return { failing, diagnoses, requirements };
}

test('a requirement that fails only because of refused requests is a consequence of their cause', () => {
  const { failing, diagnoses, requirements } = judgeSeedTrace(false);
  const id = 'createChatCompletion:accepts#body.n>1';
  expect(diagnoses).toMatchObject([
    {
      feature: 'body.n>1',
      operations: [
        { id, with: { refused: 2, total: 2 }, without: { refused: 0, total: 4 }, exchanges: ['e4', 'e5'] },
      ],
      consequences: [
        'createChatCompletion:body.n#type.accepted',
        'createChatCompletion:body.seed#type.accepted',
      ],
    },
  ]);
  expect(failing.map(({ id, consequenceOf = [] }) => [id, consequenceOf])).toEqual([
    ['createChatCompletion:accepts', []],
    ['createChatCompletion:body.n#type.accepted', [id]],
    ['createChatCompletion:body.seed#type.accepted', [id]],
  ]);
  expect(countFailures({ requirements: failing, diagnoses: diagnoses ?? [] }, 'MUST')).toEqual({
    count: 1,
    consequences: 2,
  });
  const accepts = requirements.find((requirement) => requirement.id === 'createChatCompletion:accepts');
  expect(accepts?.observations).toBe(6);
});

test('a requirement that fails for two causes is a consequence of both', () => {
  const { failing, diagnoses = [] } = judgeSeedTrace(true);
  expect(diagnoses.map(({ feature }) => feature)).toEqual(['body.n>1', 'body.seed']);
  const both = failing.find(({ id }) => id === 'createChatCompletion:body.seed#type.accepted');
  expect(both?.consequenceOf).toEqual(diagnoses.map(({ operations }) => operations[0]?.id));
  expect(countFailures({ requirements: failing, diagnoses }, 'MUST')).toEqual({ count: 1, consequences: 2 });
  expect(failing).toHaveLength(3);
});

test('a feature on which the connection closes each time is one cause, with the failed probes as its consequences', () => {
  const trace = createAcceptedTrace();
  const messages = [{ role: 'user', content: 'x' }];
  const closed = { status: 0, how: 'upstream-reset' } as const;
  for (const [n, pointer] of [
    [2, 'body.n'],
    [3, 'body.seed'],
  ] as const)
    for (let attempt = 0; attempt < 3; attempt += 1)
      trace.add(
        'createChatCompletion',
        { body: { model: 'm', messages, n }, probe: createTypeProbe(pointer) },
        closed,
      );
  const exchanges = trace.exchanges.map((exchange) => ({ ...exchange, scenario: 'some' }));
  const { requirements, diagnoses } = judgeTrace(wholeCatalogue, HEADER, exchanges);
  const id = 'createChatCompletion:accepts#body.n>1';
  const consequences = [
    'createChatCompletion:body.n#type.accepted',
    'createChatCompletion:body.seed#type.accepted',
  ];
  expect(diagnoses).toMatchObject([
    {
      feature: 'body.n>1',
      closes: true,
      consequences,
      operations: [{ id, with: { refused: 2, total: 2 }, exchanges: ['e4', 'e5', 'e6', 'e7', 'e8', 'e9'] }],
    },
  ]);
  const accepts = requirements.find((requirement) => requirement.id === 'createChatCompletion:accepts');
  expect(accepts?.findings).toMatchObject([
    {
      // The place differs from that of a refusal, which a baseline may accept.
      at: 'connection closed on requests with body.n>1',
      closes: true,
      actual: expect.stringContaining('closes the connection on body.n>1: 2 of 2'),
      causeId: id,
    },
  ]);
  const failing = requirements.filter(({ verdict, kind }) => verdict === 'fail' && kind === 'accepted');
  expect(countFailures({ requirements: failing, diagnoses: diagnoses ?? [] }, 'MUST')).toEqual({
    count: 1,
    consequences: 2,
  });
});
