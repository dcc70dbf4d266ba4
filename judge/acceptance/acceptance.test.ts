import { describe, expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { RequestSketch, ResponseSketch } from '../testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const REFUSAL: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function evaluate(sent: readonly CallSketch[]) {
  const { diagnoses, refused, accepted, open } = evaluateAcceptance(sent);
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
  return { diagnoses, refused: sum(refused), due: sum(refused) + sum(accepted), open };
}

function chat(more: { readonly [name: string]: Json }, response: ResponseSketch, text = 'x'): CallSketch {
  const messages = [{ role: 'user', content: text }];
  return ['createChatCompletion', { body: { model: 'm', messages, ...more } }, response];
}

const ASSISTANT = { beta: 'assistants=v2' };
const FILE = { id: 'file-1', object: 'file', purpose: 'assistants' };
const LISTING: CallSketch = ['listFiles', {}, { json: { object: 'list', data: [FILE] } }];
const onFile = { path: { file_id: 'file-1' } };

describe('a target that refuses valid requests', () => {
  test('gets one diagnosis with its counts, whatever else the requests contain', () => {
    const texts = ['a', 'b', 'c', 'd'];
    const { diagnoses, due, refused } = evaluate([
      ...texts.map((text) => chat({}, OK, text)),
      ...texts.map((text) => chat({ n: 1, stop: 'x' }, OK, text)),
      ...texts.map((text) => chat({ n: 2 }, REFUSAL, text)),
      ...texts.map((text) => chat({ n: 3, temperature: 1 }, REFUSAL, text)),
    ]);
    expect([due, refused]).toEqual([16, 8]);
    expect(diagnoses).toMatchObject([
      {
        kind: 'features',
        features: ['body.n>1'],
        operations: [
          {
            subject: 'createChatCompletion',
            with: { refused: 8, total: 8 },
            without: { refused: 0, total: 8 },
            exchanges: ['e9', 'e10', 'e11', 'e12', 'e13', 'e14', 'e15', 'e16'],
          },
        ],
      },
    ]);
  });

  test('has one cause if it refuses two operations for the same reason', () => {
    const completion = (n: number, response: ResponseSketch): CallSketch => [
      'createCompletion',
      { body: { model: 'm', prompt: 'x', n } },
      response,
    ];
    const { diagnoses } = evaluate([
      chat({ n: 1 }, OK),
      completion(1, OK),
      chat({ n: 2 }, REFUSAL),
      completion(2, REFUSAL),
    ]);
    expect(diagnoses).toMatchObject([
      {
        features: ['body.n>1'],
        operations: [{ subject: 'createChatCompletion' }, { subject: 'createCompletion' }],
      },
    ]);
  });

  test('is not blamed for a parameter if it refuses repeated requests', () => {
    const { diagnoses } = evaluate([
      chat({}, OK),
      chat({ n: 2 }, OK),
      chat({}, REFUSAL),
      chat({ n: 2 }, REFUSAL),
      chat({ seed: 1 }, OK),
    ]);
    expect(diagnoses).toMatchObject([{ kind: 'features', features: ['context.repeated'] }]);
  });

  test('is called inconsistent if it refuses at random, and no parameter is blamed', () => {
    const sent = Array.from({ length: 30 }, (_, i): CallSketch => {
      const more = [{}, { n: 2 }, { seed: 1 }, { stop: 'x' }][i % 4] ?? {};
      return chat(more, (i * 7) % 3 === 0 ? REFUSAL : OK);
    });
    const { diagnoses, refused } = evaluate(sent);
    expect(refused).toBe(10);
    expect(diagnoses).toMatchObject([{ kind: 'inconsistent', features: [] }]);
  });

  test('is at fault if it does not find an object that it has shown', () => {
    const lists = Array.from({ length: 3 }, (): CallSketch => LISTING);
    const { diagnoses } = evaluate([...lists, ['retrieveFile', onFile, { status: 404, json: {} }]]);
    expect(diagnoses).toMatchObject([
      { kind: 'everything', operations: [{ subject: 'retrieveFile', with: { refused: 1, total: 1 } }] },
    ]);
  });
});

test.for<[string, CallSketch]>([
  [
    'modify',
    ['modifyThread', { ...ASSISTANT, path: { thread_id: 'thread_1' }, body: { metadata: {} } }, REFUSAL],
  ],
  ['delete', ['deleteThread', { ...ASSISTANT, path: { thread_id: 'thread_1' } }, REFUSAL]],
])('a request to %s an object that was shown must be accepted', ([, sent]) => {
  const created: CallSketch = ['createThread', { ...ASSISTANT, body: {} }, { json: { id: 'thread_1' } }];
  expect(evaluate([created, sent])).toMatchObject({ refused: 1, diagnoses: [{ kind: 'everything' }] });
});

test('a body that names an object that was shown must be accepted', () => {
  const sent: CallSketch = ['createVectorStore', { ...ASSISTANT, body: { file_ids: ['file-1'] } }, REFUSAL];
  const empty: CallSketch = ['createVectorStore', { ...ASSISTANT, body: {} }, OK];
  expect(evaluate([LISTING, empty, sent]).diagnoses).toMatchObject([
    { features: ['body.file_ids'], operations: [{ with: { refused: 1, total: 1 } }] },
  ]);
});

describe('a target without unjustified refusals', () => {
  const earlier = [chat({}, OK), LISTING];
  const labelAsViolation = (request: RequestSketch): RequestSketch => ({
    ...request,
    probe: { id: 'v', operation: 'x', pointer: 'body.n', keyword: 'type', side: 'violation', control: null },
  });

  test.for<[string, readonly CallSketch[]]>([
    ['refuses a request that breaks its schema', [chat({ temperature: 3 }, REFUSAL)]],
    ['refuses a null that is not listed', [chat({ messages: null }, REFUSAL)]],
    ['refuses a parameter that is not listed', [chat({ reasoning: 'much' }, REFUSAL)]],
    [
      'refuses a request that breaks a rule across parameters',
      [chat({ stream_options: { include_usage: true } }, REFUSAL)],
    ],
    [
      'refuses a kind of part that is not listed',
      [chat({ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, REFUSAL)],
    ],
    [
      'refuses images if its model is not declared to read them',
      [
        chat(
          { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
          REFUSAL,
        ),
      ],
    ],
    ['refuses a model that no response has shown', [chat({ model: 'other' }, REFUSAL)]],
    [
      'refuses a request that is labelled as a violation',
      [['createChatCompletion', labelAsViolation(chat({}, REFUSAL)[1]), REFUSAL]],
    ],
    ['has no capacity left', [chat({ n: 2 }, { status: 429 }), chat({ n: 2 }, { status: 503 })]],
    ['responds with 500', [chat({ n: 2 }, { status: 500 })]],
    ['got a request that its client aborted', [chat({ n: 2 }, { status: 0, how: 'client-abort' })]],
    [
      'does not have an object that it never showed',
      [['retrieveFile', { path: { file_id: 'none' } }, { status: 404 }]],
    ],
    [
      'no longer has an object that was deleted',
      [
        ['deleteFile', onFile, OK],
        ['retrieveFile', onFile, { status: 404 }],
      ],
    ],
    [
      'does not have an object while it may be deleted',
      [
        ['retrieveFile', onFile, { status: 404 }],
        ['deleteFile', { ...onFile, after: 2 }, OK],
      ],
    ],
    [
      'does not have an object that was first shown while it was being requested',
      [['retrieveFile', { ...onFile, after: 1 }, { status: 404 }]],
    ],
    [
      'refuses a body that names an unknown object',
      [['createVectorStore', { ...ASSISTANT, body: { file_ids: ['file-none'] } }, REFUSAL]],
    ],
    [
      'refuses to cancel a batch that may have ended',
      [['cancelBatch', { path: { batch_id: 'batch_1' } }, REFUSAL]],
    ],
    [
      'may have too small a context for a long text or for many output tokens',
      [chat({}, REFUSAL, 'x'.repeat(20_000)), chat({ max_tokens: 100_000 }, REFUSAL)],
    ],
    [
      'refuses a query parameter that is not listed',
      [['listFiles', { query: { purpose: 'batch', foo: '1' } }, REFUSAL]],
    ],
  ])('%s', ([, sent]) => {
    const { diagnoses, refused } = evaluate([...earlier, ...sent]);
    expect([diagnoses, refused]).toEqual([[], 0]);
  });

  test('may lack the right to call an operation', () => {
    const denied: CallSketch = ['listModels', {}, { status: 403, json: {} }];
    expect(evaluate([...earlier, denied, denied])).toMatchObject({ diagnoses: [], open: { permission: 2 } });
  });

  test('breaks nothing if no request was accepted, and all its refusals have one cause', () => {
    expect(evaluate([chat({}, REFUSAL), chat({ n: 2 }, REFUSAL), ['listModels', {}, REFUSAL]])).toMatchObject(
      {
        due: 0,
        diagnoses: [
          {
            kind: 'everything',
            proven: false,
            operations: [{ with: { refused: 2, total: 2 } }, { with: { refused: 1, total: 1 } }],
          },
        ],
      },
    );
  });
});

test('refusals that may be justified are counted by reason', () => {
  const { open } = evaluate([
    chat({ reasoning: 'much' }, REFUSAL),
    chat({}, OK),
    chat({}, REFUSAL, 'x'.repeat(20_000)),
    ['retrieveFile', onFile, { status: 404, json: {} }],
    ['cancelBatch', { path: { batch_id: 'batch_1' } }, REFUSAL],
  ]);
  expect(open).toEqual({ unlisted: 1, context: 1, object: 1, operation: 1 });
});
