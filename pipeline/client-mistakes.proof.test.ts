import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRecorder } from '../proxy/record/record.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { judgeRecordings } from './check.ts';
import { settingsOfConfiguration } from './programmatic-run.ts';
import {
  type Mistake,
  picture,
  runToyClient,
  type ToyRequest,
  toyBatchFile,
  toyBatchLine,
} from './testing/toy-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-client-'));
let reference: Reference;
let sessionCount = 0;

beforeAll(async () => {
  reference = await serveReference();
});

afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true, force: true });
});

const SETTINGS = { ...settingsOfConfiguration({}), report: [] };

async function startRecording(name: string) {
  const cassette = join(folder, name);
  return [cassette, await startRecorder({ baseUrl: reference.url, cassette, port: 0 })] as const;
}

async function reportOn(mistake: Mistake | null): Promise<Report> {
  sessionCount += 1;
  const [cassette, recorder] = await startRecording(`${sessionCount}`);
  try {
    await runToyClient(recorder.url, mistake);
  } finally {
    await recorder.close();
  }
  return judgeRecordings([cassette], SETTINGS, { side: 'client' });
}

async function rulesBrokenBy(mistake: Mistake | null): Promise<readonly string[]> {
  const { requirements } = await reportOn(mistake);
  return requirements.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id);
}

function setFields(step: string, json: Readonly<Record<string, unknown>>): Mistake {
  return { step, change: (request) => ({ ...request, json: { ...request.json, ...json } }) };
}

function omitField(step: string, name: string): Mistake {
  const rest = ({ json = {} }: ToyRequest) =>
    Object.fromEntries(Object.entries(json).filter(([key]) => key !== name));
  return { step, change: (request) => ({ ...request, json: rest(request) }) };
}

function setHeaders(step: string, headers: Readonly<Record<string, string>>): Mistake {
  return { step, change: (request) => ({ ...request, headers: { ...request.headers, ...headers } }) };
}

function omitHeader(step: string, name: string): Mistake {
  return {
    step,
    change: (request) => ({
      ...request,
      headers: Object.fromEntries(Object.entries(request.headers).filter(([key]) => key !== name)),
    }),
  };
}

function setForm(step: string, parts: NonNullable<ToyRequest['form']>): Mistake {
  return { step, change: (request) => ({ ...request, form: { ...request.form, ...parts } }) };
}

function changePath(step: string, from: RegExp, to: string): Mistake {
  return { step, change: (request) => ({ ...request, path: request.path.replace(from, to) }) };
}

function uploadLines(...all: readonly unknown[]): Mistake {
  return setForm('batch-file', { file: toyBatchFile(...all) });
}

const CHAT = 'client:createChatCompletion:';
const EMBEDDINGS = '/v1/embeddings';
const LINE = { model: 'chat-small', messages: [{ role: 'user', content: 'Hello.' }] };
const TOOL = { type: 'function', function: { name: 'f' } };
const SEVENTEEN_PAIRS = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']));

const MISTAKES: readonly (readonly [string, Mistake])[] = [
  [`${CHAT}body.temperature#maximum`, setFields('chat', { temperature: 2.1 })],
  [`${CHAT}body.temperature#minimum`, setFields('chat', { temperature: -1 })],
  [`${CHAT}body.frequency_penalty#maximum`, setFields('chat', { frequency_penalty: 3 })],
  [`${CHAT}body.n#type`, setFields('chat', { n: 'two' })],
  [`${CHAT}body.messages#required`, omitField('chat', 'messages')],
  [`${CHAT}body.model#required`, omitField('chat', 'model')],
  [`${CHAT}body.stop(array)#maxItems`, setFields('chat', { stop: ['a', 'b', 'c', 'd', 'e'] })],
  [`${CHAT}body.tools#maxItems`, setFields('chat', { tools: Array(129).fill(TOOL) })],
  [`${CHAT}body#top-logprobs-need-logprobs`, setFields('chat', { top_logprobs: 2 })],
  [`${CHAT}body#stream-options-need-stream`, setFields('chat', { stream_options: { include_usage: true } })],
  [`${CHAT}body#contentType`, setHeaders('chat', { 'content-type': 'text/plain' })],
  [`${CHAT}body#readable`, { step: 'chat', change: (request) => ({ ...request, text: '{"model": ' }) }],
  [`${CHAT}body#required`, { step: 'chat', change: ({ json: _, ...request }) => request }],
  [
    'client.chat.json-mode',
    setFields('json-mode', { messages: [{ role: 'user', content: 'Name colours.' }] }),
  ],
  ['client.requests.bearer-key', omitHeader('models', 'authorization')],
  ['client.requests.bearer-key', setHeaders('models', { authorization: 'Basic dG95OmtleQ==' })],
  ['client:createModeration:body.input#required', omitField('moderation', 'input')],
  ['client:createSpeech:body.voice#enum', setFields('speech', { voice: 'unknown' })],
  ['client:createSpeech:body.speed#maximum', setFields('speech', { speed: 5 })],
  ['client:createSpeech:body.input#maxLength', setFields('speech', { input: 'x'.repeat(4097) })],
  ['client:createImage:body.n#maximum', setFields('image', { n: 11 })],
  ['client.images.square', setForm('edit', { image: picture(16, 8) })],
  ['client.images.png', setForm('edit', { image: new File(['GIF89a'], 'picture.gif') })],
  ['client:createImageEdit:body.size#enum', setForm('edit', { size: '7x7' })],
  ['client.audio.formats', setForm('transcription', { file: new File(['Hello.'], 'notes.txt') })],
  ['client:createAssistant:header.beta#value', omitHeader('assistant', 'vendor-beta')],
  ['client:createThread:header.beta#value', setHeaders('thread', { 'vendor-beta': 'assistants=v1' })],
  ['client:createAssistant.v2:body.name#maxLength', setFields('assistant', { name: 'x'.repeat(257) })],
  [
    'client:createAssistant.v2:body.tools[].type#enum',
    setFields('assistant', { tools: [{ type: 'retrieval' }] }),
  ],
  [
    'client:createAssistant.v2:body.metadata#maxProperties',
    setFields('assistant', { metadata: SEVENTEEN_PAIRS }),
  ],
  [
    'client:createAssistant.v2:body.metadata{key}#maxLength',
    setFields('assistant', { metadata: { ['k'.repeat(65)]: 'v' } }),
  ],
  ['client.assistants.own-version', setFields('assistant', { file_ids: [] })],
  ['client.assistants.one-sampling', setFields('assistant', { top_p: 0.5 })],
  ['client:listAssistants.v2:query.limit#maximum', changePath('assistants', /limit=1/, 'limit=101')],
  ['client:listAssistants.v2:query.limit#minimum', changePath('assistants', /limit=1/, 'limit=0')],
  ['client:listAssistants.v2:query.limit#type', changePath('assistants', /limit=1/, 'limit=ten')],
  ['client:listAssistants.v2:query.order#enum', changePath('assistants', /asc/, 'ascending')],
  ['client.ids.given', changePath('retrieve', /[^/]+$/, 'asst_invented')],
  ['client.cursors.given', changePath('messages', /after=.*/, 'after=msg_invented')],
  ['client:createMessage:body.role#enum', setFields('reply', { role: 'system' })],
  ['client.messages.metadata-only', setFields('modify', { content: 'Other.' })],
  ['client:listVectorStoreFiles:query.filter#enum', changePath('store-files', /completed/, 'done')],
  ['client:createFile:body.purpose#enum', setForm('other-file', { purpose: 'fun' })],
  [
    'client.files.jsonl-name',
    setForm('batch-file', { file: new File([JSON.stringify(toyBatchLine())], 'input.txt') }),
  ],
  [
    'client.files.jsonl-lines',
    setForm('batch-file', { file: new File([JSON.stringify(toyBatchLine()), '\nno\n'], 'input.jsonl') }),
  ],
  ['client.batches.line-fields', uploadLines(toyBatchLine(), toyBatchLine({ custom_id: undefined }))],
  ['client.batches.line-fields', uploadLines(toyBatchLine({ custom_id: 1 }))],
  ['client.batches.line-fields', uploadLines(toyBatchLine({ body: undefined }))],
  ['client.batches.line-fields', uploadLines([toyBatchLine()])],
  [
    'client.batches.custom-ids',
    uploadLines(toyBatchLine(), toyBatchLine({ custom_id: '2' }), toyBatchLine()),
  ],
  ['client.batches.line-method', uploadLines(toyBatchLine({ method: 'GET' }))],
  ['client.batches.line-url', uploadLines(toyBatchLine({ url: '/v1/models' }))],
  [
    'client.batches.line-url',
    uploadLines(toyBatchLine({ url: 'https://service.example/v1/chat/completions' })),
  ],
  [
    'client.batches.same-endpoint',
    uploadLines(toyBatchLine(), toyBatchLine({ custom_id: '2', url: EMBEDDINGS })),
  ],
  ['client.batches.same-endpoint', setFields('batch', { endpoint: '/v1/completions' })],
  [`${CHAT}body.temperature#maximum`, uploadLines(toyBatchLine({ body: { ...LINE, temperature: 9 } }))],
  [`${CHAT}body.messages#required`, uploadLines(toyBatchLine({ body: { model: 'chat-small' } }))],
  [
    `${CHAT}body.messages[].role#type`,
    uploadLines(toyBatchLine({ body: { ...LINE, messages: [{ role: 7 }] } })),
  ],
  ['client.images.default-model', setFields('image', { prompt: 'x'.repeat(1001) })],
  ['client.images.default-model', setFields('image', { size: '1792x1024' })],
  ['client.images.default-model', setFields('image', { style: 'natural' })],
  ['client:createBatch:body.completion_window#enum', setFields('batch', { completion_window: '1h' })],
  ['client.batches.file-purpose', setFields('batch', { input_file_id: '{other}' })],
  ['client.fine-tuning.file-purpose', setFields('job', { validation_file: '{batch}' })],
  ['client:createFineTuningJob:body.suffix#maxLength', setFields('job', { suffix: 'x'.repeat(19) })],
];

/** Rules on optional fields that the client sends only by mistake. */
const RULES_ON_ABSENT_FIELDS = [
  `${CHAT}body.frequency_penalty#maximum`,
  `${CHAT}body.n#type`,
  `${CHAT}body.tools#maxItems`,
  `${CHAT}body#top-logprobs-need-logprobs`,
  `${CHAT}body#stream-options-need-stream`,
  'client:createAssistant.v2:body.tools[].type#enum',
];

test('a client that keeps every rule conforms, and its requests are judged', async () => {
  const { summary, requirements, side } = await reportOn(null);
  expect(requirements.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')).toEqual([]);
  expect([summary.verdict, side]).toEqual(['conforms', 'client']);
  const passed = new Set(requirements.flatMap(({ id, verdict }) => (verdict === 'pass' ? [id] : [])));
  expect(MISTAKES.flatMap(([id]) => (passed.has(id) ? [] : id))).toEqual(RULES_ON_ABSENT_FIELDS);
  expect(passed.size).toBeGreaterThan(90);
});

describe('a mistake is found by exactly its rule', () => {
  test.each(MISTAKES)('%s', async (id, mistake) => {
    expect(await rulesBrokenBy(mistake)).toEqual([id]);
  });
});

test('a client that calls an operation only in the input of a batch is judged by its rules', async () => {
  const [cassette, recorder] = await startRecording('batch-alone');
  const body = new FormData();
  body.append('purpose', 'batch');
  body.append('file', toyBatchFile(toyBatchLine({ body: { ...LINE, temperature: 9 } })));
  await fetch(`${recorder.url}/files`, {
    method: 'POST',
    headers: { authorization: 'Bearer toy-key' },
    body,
  });
  await recorder.close();
  const { requirements } = await judgeRecordings([cassette], SETTINGS, { side: 'client' });
  expect(requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([
    `${CHAT}body.temperature#maximum`,
  ]);
});
