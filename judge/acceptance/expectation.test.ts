import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/json.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { RequestSketch, ResponseSketch } from '../testing/trace-builder.ts';

const OK: ResponseSketch = { json: { id: 'x' } };
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };
const LINE = {
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'm', messages: [] },
};
const ONE_LINE = JSON.stringify(LINE);

function countRefusals(sent: readonly CallSketch[]): number {
  return [...evaluateAcceptance(sent).refused.values()].reduce((a, b) => a + b, 0);
}

function upload(
  id: string,
  purpose: string,
  text: string,
  more: { filename?: string; isRefused?: true } = {},
): CallSketch {
  const { filename = 'a.jsonl', isRefused } = more;
  const form = [
    { name: 'purpose', value: purpose },
    { name: 'file', value: text, filename },
  ];
  return ['createFile', { form }, isRefused === true ? NO : { json: { id, object: 'file', purpose } }];
}

function batch(endpoint: string, response: ResponseSketch): CallSketch {
  const body = { input_file_id: 'file-1', endpoint, completion_window: '24h' };
  return ['createBatch', { body }, response];
}

function training(more: JsonObject, response: ResponseSketch): CallSketch {
  return ['createFineTuningJob', { body: { model: 'm', training_file: 'file-1', ...more } }, response];
}

function transcription(more: Readonly<Record<string, string>>, response: ResponseSketch): CallSketch {
  const fields = Object.entries({ model: 'm', ...more }).map(([name, value]) => ({ name, value }));
  const form = [...fields, { name: 'file', value: 'RIFF', filename: 'a.wav' }];
  return ['createTranscription', { form }, response];
}

function list(operation: string, query: Readonly<Record<string, string>>): CallSketch {
  return [operation, { query }, NO];
}

const BATCH = [upload('file-1', 'batch', ONE_LINE), batch('/v1/chat/completions', OK)];
const TEXT = upload('file-1', 'assistants', 'hello');
const TRAINING = [
  upload('file-1', 'fine-tune', '{"a":1}'),
  upload('file-2', 'fine-tune', '{"a":1}'),
  upload('file-3', 'fine-tune', '{"a":2}'),
  ...['file-1', 'file-2', 'file-3'].map((training_file) => training({ training_file }, OK)),
];
const withOtherKey: RequestSketch = { headers: [['authorization', 'Bearer other']] };
const read = (more: RequestSketch): CallSketch => [
  'retrieveFile',
  { path: { file_id: 'file-1' }, ...more },
  NO,
];
const acceptedKey: CallSketch = ['listFiles', withOtherKey, { json: { object: 'list', data: [] } }];

test.for<readonly [string, readonly CallSketch[]]>([
  ['a batch for an endpoint that its lines do not name', [...BATCH, batch('/v1/embeddings', NO)]],
  [
    'a validation file with the same bytes as the training file',
    [...TRAINING, training({ validation_file: 'file-2' }, NO)],
  ],
  ['an empty file', [TEXT, upload('x', 'assistants', '', { isRefused: true })]],
  ['a file without a name', [TEXT, upload('x', 'assistants', 'hi', { filename: '', isRefused: true })]],
  ['a batch file with blank lines', [TEXT, upload('x', 'batch', `\n\n${ONE_LINE}\n`, { isRefused: true })]],
  [
    'a batch file with a member that the specification does not list',
    [TEXT, upload('x', 'batch', JSON.stringify({ ...LINE, priority: 1 }), { isRefused: true })],
  ],
  ['a file that belongs to another key', [TEXT, acceptedKey, read(withOtherKey)]],
  ['a file that belongs to another project', [TEXT, read({ headers: [['x-project', 'p']] })]],
  ['a limit in hexadecimal', [TEXT, list('listFineTuningJobs', { limit: '0x10' })]],
  ['a limit below one', [TEXT, list('listFineTuningJobs', { limit: '-1' })]],
  ['a purpose that the specification does not list', [TEXT, list('listFiles', { purpose: 'nonsense' })]],
  [
    'training of a model with lines that only another model has accepted',
    [...TRAINING, training({ model: 'n', training_file: 'file-3' }, OK), training({ model: 'n' }, NO)],
  ],
  ['a suffix with punctuation', [...TRAINING, training({ suffix: 'a:b/' }, NO)]],
  [
    'a language that the model may not support',
    [transcription({}, OK), transcription({ language: 'zz' }, NO)],
  ],
])('a target may refuse %s', ([, sent]) => {
  expect(countRefusals(sent)).toBe(0);
});

test.for<readonly [string, readonly CallSketch[]]>([
  ['a batch for the endpoint that its lines name', [...BATCH, batch('/v1/chat/completions', NO)]],
  ['a validation file with other bytes', [...TRAINING, training({ validation_file: 'file-3' }, NO)]],
  ['a file that is not empty', [TEXT, upload('x', 'assistants', 'hi', { isRefused: true })]],
  ['a batch file of valid lines', [TEXT, upload('x', 'batch', `${ONE_LINE}\n`, { isRefused: true })]],
  ['a file that belongs to the same key', [TEXT, read({})]],
  ['a limit in the usual range', [TEXT, list('listFineTuningJobs', { limit: '16' })]],
  ['a purpose that the specification lists', [TEXT, list('listFiles', { purpose: 'batch' })]],
  [
    'training of a model with lines that it has accepted',
    [...TRAINING, training({ model: 'n' }, OK), training({ model: 'n', seed: 1 }, NO)],
  ],
  ['a plain suffix', [...TRAINING, training({ suffix: 'a-b' }, NO)]],
  ['a common language', [transcription({}, OK), transcription({ language: 'en' }, NO)]],
])('a target may not refuse %s', ([, sent]) => {
  expect(countRefusals(sent)).toBe(1);
});
