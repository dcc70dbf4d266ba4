// Requests whose bodies or uploaded files are missing from a recording: the responses are judged only by what does not
// depend on them.
import { expect, test } from 'vitest';
import type { Json } from '../exchange/http/body.ts';
import type { Judgement } from '../judge/verdict/verdict.ts';
import { brokenIds, judgeServiceTraffic, type Sketch } from './testing/service-traffic.ts';

const findVerdict = ({ requirements }: Judgement, id: string) =>
  requirements.find((requirement) => requirement.id === id)?.verdict;

const completion = (more: object = {}): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'm',
  system_fingerprint: 'fp_1',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hi' }, logprobs: null, finish_reason: 'stop' },
    { index: 1, message: { role: 'assistant', content: 'Ho' }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  ...more,
});
const chat = (more: Partial<Sketch>): Sketch => ({ call: 'POST /v1/chat/completions', ...more });
const sent = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

test('a response to an unknown request is judged by its shape alone', async () => {
  const known = await judgeServiceTraffic([chat({ sent, answer: completion() })], null);
  expect(brokenIds(known)).not.toEqual([]);
  const unknown = await judgeServiceTraffic([chat({ lacks: 'body', answer: completion() })], null);
  expect(brokenIds(unknown)).toEqual([]);
  expect(findVerdict(unknown, 'chat.completion:created#type')).toBe('pass');
  expect(findVerdict(unknown, 'createChatCompletion:accepts')).toBe('untested');
  const wrong = await judgeServiceTraffic(
    [chat({ lacks: 'body', answer: completion({ created: 'now' }) })],
    null,
  );
  expect(brokenIds(wrong)).toEqual(['chat.completion:created#type']);
});

test('a stream in response to an unknown request is judged as a stream', async () => {
  const chunk = (created: Json): Json => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created,
    model: 'm',
    system_fingerprint: 'fp_1',
    choices: [
      { index: 0, delta: { role: 'assistant', content: 'Hi' }, logprobs: null, finish_reason: 'stop' },
    ],
  });
  const judgeStream = async (created: Json) =>
    brokenIds(await judgeServiceTraffic([chat({ lacks: 'body', events: [chunk(created), '[DONE]'] })], null));
  expect(await judgeStream(1_700_000_000)).toEqual([]);
  expect(await judgeStream('now')).toContain('chat.completion.chunk:created#type');
});

test('a refusal of an unknown request is permitted', async () => {
  const judgeRefusal = async (request: Partial<Sketch>) => {
    const refused = chat({ ...request, status: 400, answer: { error: { message: 'no' } } });
    return brokenIds(await judgeServiceTraffic([chat({ sent, answer: completion() }), refused], null));
  };
  expect(await judgeRefusal({ sent })).toContain('createChatCompletion:accepts');
  expect(await judgeRefusal({ lacks: 'body' })).not.toContain('createChatCompletion:accepts');
});

const file = (more: object = {}): Json => ({
  id: 'file-1',
  object: 'file',
  bytes: 500,
  created_at: 1_700_000_000,
  filename: 'a.jsonl',
  purpose: 'batch',
  status: 'processed',
  ...more,
});

test('an upload whose file was omitted is judged by its other fields', async () => {
  const upload = (more: Partial<Sketch>): Sketch => ({
    call: 'POST /v1/files',
    form: [
      ['purpose', 'batch'],
      ['file', '', 'a.jsonl'],
    ],
    answer: file(),
    ...more,
  });
  expect(brokenIds(await judgeServiceTraffic([upload({})], null))).toEqual(['files.upload.bytes-are-size']);
  expect(brokenIds(await judgeServiceTraffic([upload({ lacks: 'files' })], null))).toEqual([]);
  const other = upload({ lacks: 'files', answer: file({ purpose: 'vision' }) });
  expect(brokenIds(await judgeServiceTraffic([other], null))).toEqual(['files.upload.purpose-kept']);
});

test('a response whose form depends on the fields of an upload is judged although its file was omitted', async () => {
  const transcript = (format: string, answer: Json): Sketch => ({
    call: 'POST /v1/audio/transcriptions',
    form: [
      ['model', 'whisper-1'],
      ['response_format', format],
      ['file', '', 'a.mp3'],
    ],
    lacks: 'files',
    answer,
  });
  const judgeTranscript = async (format: string, answer: Json) =>
    brokenIds(await judgeServiceTraffic([transcript(format, answer)], null));
  expect(await judgeTranscript('json', { text: 'Hello' })).toEqual([]);
  expect(await judgeTranscript('json', { words: 'Hello' })).toEqual(['transcription:text#required']);
  expect(await judgeTranscript('verbose_json', { text: 5 })).toContain('transcription.verbose:text#type');
});

const assistant = (name: string): Json => ({
  id: 'asst_1',
  object: 'assistant',
  created_at: 1_700_000_000,
  name,
  description: null,
  model: 'm',
  instructions: null,
  tools: [],
  tool_resources: {},
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: 'auto',
});

test('fields that a modification with an unknown body may have changed need not keep their values', async () => {
  const beta = 'v2';
  const creation: Sketch = {
    call: 'POST /v1/assistants',
    beta,
    sent: { model: 'm', name: 'a' },
    answer: assistant('a'),
  };
  const modification: Sketch = {
    call: 'POST /v1/assistants/asst_1',
    beta,
    lacks: 'body',
    answer: assistant('b'),
  };
  const retrieval = (name: string): Sketch => ({
    call: 'GET /v1/assistants/asst_1',
    beta,
    answer: assistant(name),
  });
  const listBroken = async (...sketches: readonly Sketch[]) =>
    brokenIds(await judgeServiceTraffic(sketches, null));
  expect(await listBroken(creation, retrieval('b'))).not.toEqual([]);
  expect(await listBroken(creation, modification, retrieval('b'))).toEqual([]);
});
