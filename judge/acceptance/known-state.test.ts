// The state of objects that a trace shows, which decides whether requests on them must succeed.
import { describe, expect, test } from 'vitest';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const V2 = { beta: 'assistants=v2' };
const REFUSAL: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

/** Number of refused requests that should have got a 2xx, and the reasons why the others stay undecided. */
function countRefusals(sent: readonly CallSketch[]) {
  const { refused, open } = evaluateAcceptance(sent);
  return { due: [...refused.values()].reduce((a, b) => a + b, 0), open };
}

describe('a thread', () => {
  const path = { thread_id: 'thread_1' };
  const assistant: CallSketch = [
    'createAssistant',
    { ...V2, body: { model: 'm' } },
    { json: { id: 'asst_1', object: 'assistant' } },
  ];
  const thread: CallSketch = [
    'createThread',
    { ...V2, body: {} },
    { json: { id: 'thread_1', object: 'thread' } },
  ];
  const other: CallSketch = [
    'createThread',
    { ...V2, body: {} },
    { json: { id: 'thread_2', object: 'thread' } },
  ];
  const message = (answer: ResponseSketch, after?: number): CallSketch => [
    'createMessage',
    {
      beta: 'assistants=v1',
      path,
      body: { role: 'user', content: 'x' },
      ...(after === undefined ? {} : { after }),
    },
    answer,
  ];
  const run = (status: string): CallSketch => [
    'createRun',
    { ...V2, path, body: { assistant_id: 'asst_1', stream: true } },
    {
      headers: [['content-type', 'text/event-stream']],
      events: [
        {
          event: 'thread.run.created',
          data: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', status: 'queued' },
        },
        {
          event: `thread.run.${status}`,
          data: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', status },
        },
      ],
    },
  ];

  test('without a run accepts messages, and runs', () => {
    expect(countRefusals([assistant, thread, message(REFUSAL)]).due).toBe(1);
    const refusedRun: CallSketch = ['createRun', { ...V2, path, body: { assistant_id: 'asst_1' } }, REFUSAL];
    expect(countRefusals([assistant, thread, refusedRun]).due).toBe(1);
  });

  test('whose run has ended accepts messages again', () => {
    expect(countRefusals([assistant, thread, run('completed'), message(REFUSAL)]).due).toBe(1);
  });

  test.each([
    [400, 1],
    [401, 1],
    [403, 1],
    [500, 0],
  ])('whose run could not be created (%d) must accept a message: %d', (status, count) => {
    // No response has shown the assistant, so the refusal of the run itself is not due.
    const refusedRun: CallSketch = [
      'createRun',
      { ...V2, path, body: { assistant_id: 'asst_unknown' } },
      { ...REFUSAL, status },
    ];
    expect(countRefusals([assistant, thread, refusedRun, message(REFUSAL)]).due).toBe(count);
  });

  test.for([
    ['whose run waits', [assistant, thread, run('requires_action'), message(REFUSAL)]],
    [
      'whose run ended only while the message was sent',
      [assistant, thread, run('completed'), message(REFUSAL, 2)],
    ],
    ['that no answer has shown', [assistant, other, message(REFUSAL)]],
  ] as const)('%s may refuse a message', ([, sent]) => {
    expect(countRefusals(sent)).toEqual({ due: 0, open: { object: 1 } });
  });

  test('with a run that only a stream has shown returns the steps and messages of that run', () => {
    const steps: CallSketch = ['listRunSteps', { ...V2, path: { ...path, run_id: 'run_1' } }, REFUSAL];
    expect(countRefusals([assistant, run('completed'), steps]).due).toBe(1);
    const messages: CallSketch = [
      'listMessages',
      { beta: 'assistants=v1', path, query: { run_id: 'run_1' } },
      REFUSAL,
    ];
    expect(countRefusals([assistant, run('completed'), messages]).due).toBe(1);
  });
});

describe('a file', () => {
  const upload = (id: string, value: string): CallSketch => [
    'createFile',
    {
      form: [
        { name: 'purpose', value: 'assistants' },
        { name: 'file', value, filename: 'a.txt' },
      ],
    },
    { json: { id, object: 'file' } },
  ];
  const store: CallSketch = [
    'createVectorStore',
    { ...V2, body: {} },
    { json: { id: 'vs_1', object: 'vector_store' } },
  ];
  const put = (file_id: string, answer: ResponseSketch): CallSketch => [
    'createVectorStoreFile',
    { ...V2, path: { vector_store_id: 'vs_1' }, body: { file_id } },
    answer,
  ];
  const OK: ResponseSketch = { json: { id: 'x', object: 'vector_store.file' } };

  test('with content that was accepted before must be accepted', () => {
    expect(
      countRefusals([
        store,
        upload('file-1', 'x'),
        upload('file-2', 'x'),
        put('file-1', OK),
        put('file-2', REFUSAL),
      ]).due,
    ).toBe(1);
  });

  test.for([
    [
      'with other content',
      [store, upload('file-1', 'x'), upload('file-2', 'y'), put('file-1', OK), put('file-2', REFUSAL)],
      {},
    ],
    [
      'that is in the store already',
      [store, upload('file-1', 'x'), put('file-1', OK), put('file-1', REFUSAL)],
      { object: 1 },
    ],
  ] as const)('%s may be refused', ([, sent, open]) => {
    expect(countRefusals(sent)).toEqual({ due: 0, open });
  });

  const batchInput = (id: string, lines: readonly object[], answer: ResponseSketch): CallSketch => {
    const value = lines.map((line) => JSON.stringify(line)).join('\n');
    const form = [
      { name: 'purpose', value: 'batch' },
      { name: 'file', value, filename: `${id}.jsonl` },
    ];
    return ['createFile', { form }, answer];
  };
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'm' } };

  test('of batch requests must get a 2xx if each line satisfies the specification', () => {
    const known: CallSketch = ['listFiles', {}, { json: { object: 'list', data: [] } }];
    expect(countRefusals([known, batchInput('a', [line], REFUSAL)]).due).toBe(1);
    expect(countRefusals([known, batchInput('a', [line, line], REFUSAL)]).due).toBe(0);
    expect(countRefusals([known, batchInput('a', [{ ...line, method: 'GET' }], REFUSAL)]).due).toBe(0);
  });

  test('with more requests than a batch may have can be refused', () => {
    const known: CallSketch = ['listFiles', {}, { json: { object: 'list', data: [] } }];
    const lines = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...line, custom_id: String(i) }));
    expect(countRefusals([known, batchInput('a', lines(50_000), REFUSAL)]).due).toBe(1);
    expect(countRefusals([known, batchInput('a', lines(50_001), REFUSAL)]).due).toBe(0);
  });
});

test('a value of an unspecified form is valid if another request with it was accepted', () => {
  const upload = (id: string): CallSketch => [
    'createFile',
    {
      form: [
        { name: 'purpose', value: 'fine-tune' },
        { name: 'file', value: '{}', filename: 'a.jsonl' },
      ],
    },
    { json: { id, object: 'file' } },
  ];
  const job = (n_epochs: number, more: object, answer: ResponseSketch): CallSketch => [
    'createFineTuningJob',
    { body: { model: 'm', training_file: 'file-1', hyperparameters: { n_epochs }, ...more } },
    answer,
  ];
  const created: ResponseSketch = { json: { id: 'ftjob-1', object: 'fine_tuning.job' } };
  expect(countRefusals([upload('file-1'), job(3, {}, created), job(3, { seed: 1 }, REFUSAL)]).due).toBe(1);
  expect(countRefusals([upload('file-1'), job(1, {}, created), job(3, {}, REFUSAL)]).due).toBe(0);
});
