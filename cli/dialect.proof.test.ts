import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TraceHeader, TraceItem } from '../exchange/trace.ts';
import { judgeTrace, openJudge } from '../explain/judge.ts';
import type { Judgement } from '../judge/verdict/verdict.ts';
import { loadDialect, withDialect } from '../pipeline/setup/dialects.ts';
import { startRecorder } from '../proxy/record/record.ts';
import type { TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { catalogue } from '../suites/index.ts';
import { type BrokenField, startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-dialect-'));
let reference: Reference;
let service: TestUpstream;

const replaceFields = (
  operations: readonly string[],
  pointers: readonly string[],
  value: unknown,
): BrokenField[] =>
  operations.flatMap((operation) => pointers.map((pointer) => ({ operation, pointer, value })));

const CHAT = ['createChatCompletion'];
const STORES = ['createVectorStore', 'retrieveVectorStore'];
const MESSAGES = ['createMessage', 'retrieveMessage'];

const DEVIATIONS: readonly BrokenField[] = [
  ...replaceFields(STORES, ['/name'], null),
  ...replaceFields(STORES, ['/expires_after'], { anchor: 'last_active_at', days: 7 }),
  ...replaceFields(['listRunSteps'], ['/data/*/expired_at', '/data/*/metadata'], undefined),
  ...replaceFields(['listRunSteps'], ['/data/*/expires_at'], null),
  ...replaceFields(
    MESSAGES,
    ['/status', '/incomplete_details', '/completed_at', '/incomplete_at', '/file_ids'],
    undefined,
  ),
  ...replaceFields(MESSAGES, ['/attachments'], []),
  ...replaceFields(['listAssistants'], ['/first_id', '/last_id'], null),
  ...replaceFields(['createFile'], ['/status_details'], null),
  ...replaceFields(['createBatch'], ['/request_counts', '/in_progress_at'], null),
  ...replaceFields(['createFineTuningJob'], ['/error'], {}),
  ...replaceFields(CHAT, ['/choices/*/logprobs'], undefined),
  ...replaceFields(CHAT, ['/system_fingerprint'], null),
  ...replaceFields(['createCompletion'], ['/system_fingerprint'], undefined),
  ...replaceFields(['createRun'], ['/delta/content/*/text/annotations'], undefined),
  ...replaceFields(['createModeration'], ['/model'], 'text-moderation-004'),
  ...replaceFields(
    ['createModeration'],
    ['/results/*/categories/self-harm~1intent', '/results/*/category_scores/harassment'],
    undefined,
  ),
];

beforeAll(async () => {
  reference = await serveReference({ betaHeader: 'OpenAI-Beta' });
  service = await startBreakingProxy(reference.url, DEVIATIONS, {
    route: (target) =>
      target.includes('/files_batches/') ? null : target.replace(/\/file_batches(?=\/)/, '/files_batches'),
    changeStream: (text) => text.replaceAll('event: thread.run.incomplete', 'event: thread.run.completed'),
  });
});

afterAll(async () => {
  await Promise.all([service.close(), reference.close()]);
  rmSync(folder, { recursive: true, force: true });
});

type Send = (method: string, path: string, body?: unknown, version?: string) => Promise<{ id: string }>;

async function callEverything(send: Send): Promise<void> {
  const model = 'chat-small';
  const messages = [{ role: 'user', content: 'Hello' }];
  await send('GET', 'assistants');
  await send('POST', 'chat/completions', { model, messages });
  await send('POST', 'completions', { model: 'text-base', prompt: 'Hello', max_tokens: 2 });
  await send('POST', 'moderations', { input: 'Hello' });
  const upload = (purpose: string, text: string) => {
    const form = new FormData();
    form.append('purpose', purpose);
    form.append('file', new Blob([text]), 'x.jsonl');
    return send('POST', 'files', form);
  };
  const url = '/v1/chat/completions';
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url, body: { model, messages } });
  const input = await upload('batch', line);
  await send('POST', 'batches', { input_file_id: input.id, endpoint: url, completion_window: '24h' });
  const example = JSON.stringify({ messages: [...messages, { role: 'assistant', content: 'Hi' }] });
  const training = await upload('fine-tune', Array(10).fill(example).join('\n'));
  await send('POST', 'fine_tuning/jobs', { model, training_file: training.id });
  const store = await send('POST', 'vector_stores', { expires_after: { duration: 604_800 } });
  await send('GET', `vector_stores/${store.id}`);
  const batch = await send('POST', `vector_stores/${store.id}/file_batches`, { file_ids: [training.id] });
  await send('GET', `vector_stores/${store.id}/file_batches/${batch.id}`);
  const assistant = await send('POST', 'assistants', { model });
  const thread = await send('POST', 'threads', {});
  const message = await send('POST', `threads/${thread.id}/messages`, messages[0], 'v1');
  await send('GET', `threads/${thread.id}/messages/${message.id}`, undefined, 'v1');
  const run = { assistant_id: assistant.id, stream: true, max_completion_tokens: 1 };
  const { id } = await send('POST', `threads/${thread.id}/runs`, run);
  await send('GET', `threads/${thread.id}/runs/${id}/steps`);
}

function createSender(base: string): Send {
  return async (method, path, body, version = 'v2') => {
    const isJson = body !== undefined && !(body instanceof FormData);
    const answer = await fetch(`${base}/${path}`, {
      method,
      headers: {
        'OpenAI-Beta': `assistants=${version}`,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.status, `${method} ${path}: ${text}`).toBe(200);
    const found = /"id":\s?"([\w-]+)"/.exec(text);
    return { id: found?.[1] ?? '' };
  };
}

const BROKEN_BY_ERRATUM: Readonly<Record<string, readonly string[]>> = {
  'expiry-in-days': ['vector-stores.create.keeps-expires-after'],
  'run-step-times': ['thread.run.step:expired_at#expected'],
  'run-step-without-metadata': ['thread.run.step:metadata#required'],
  'message-without-state': ['thread.message:status#required', 'thread.message:completed_at#expected'],
  'message-attachments': ['thread.message.v1:file_ids#required'],
  'batch-fields-until-set': ['batch:request_counts#type'],
  'system-fingerprint': [
    'chat.completion:system_fingerprint#type',
    'text_completion:system_fingerprint#required',
  ],
  'choice-without-logprobs': ['chat.completion:choices[].logprobs#expected'],
  'incomplete-run-event': ['thread.run.completed:status#const'],
  'older-moderation-categories': [
    'moderation:results[].categories.self-harm/intent#required',
    'moderation:results[].category_scores.harassment#required',
  ],
};

describe('a service that deviates as the dialect says', () => {
  const items: TraceItem[] = [];
  let plain: Judgement;
  let excused: Judgement;

  beforeAll(async () => {
    const recorder = await startRecorder({
      baseUrl: service.url,
      cassette: join(folder, 'cassette'),
      onItem: (item) => items.push(item),
    });
    await callEverything(createSender(recorder.url));
    await recorder.close();
    const [suites, dialect] = await Promise.all([catalogue(), loadDialect('openai')]);
    const families = [
      ...new Set(
        suites.requirementSets.flatMap(({ requirements: rules }) =>
          rules.flatMap((requirement) => requirement.families),
        ),
      ),
    ];
    const header: TraceHeader = {
      format: 1,
      tool: { name: 'assay', version: '0' },
      target: { baseUrl: service.url, name: 'otherwise' },
      claims: { families, how: 'given' },
      filters: { only: [], skip: [] },
      allow: [],
      dialect: null,
      betaHeader: 'OpenAI-Beta',
      models: {},
      key: false,
      shard: null,
    };
    plain = judgeTrace(suites, header, items);
    const open = openJudge({ catalogue: suites, header: withDialect(header, dialect), dialect });
    for (const item of items) open.feed(item);
    excused = open.finish();
  });

  const verdictOn = (judgement: Judgement, id: string) =>
    judgement.requirements.find((one) => one.id === id)?.verdict;

  test.for(
    Object.entries(BROKEN_BY_ERRATUM).flatMap(([erratum, ids]) => ids.map((id) => [id, erratum] as const)),
  )('breaks %s, which is excused by %s', ([id, erratum]) => {
    expect([verdictOn(plain, id), verdictOn(excused, id)]).toEqual([
      id.endsWith('#expected') ? 'warn' : 'fail',
      'excused',
    ]);
    const used = excused.errata.find((one) => one.id === erratum);
    expect(used?.requirements).toContain(id);
    const found = excused.requirements.find((one) => one.id === id);
    expect(found?.cause).toEqual({ kind: 'erratum', id: erratum, reason: used?.reason });
  });

  test('has its file batches recognised under their other path', () => {
    const exercised = (judgement: Judgement) =>
      judgement.operations.find(({ id }) => id === 'retrieveVectorStoreFileBatch')?.exercised;
    expect([exercised(plain), exercised(excused)]).toEqual([0, 1]);
    expect(excused.errata).toContainEqual(
      expect.objectContaining({ id: 'file-batch-paths', times: 1, requirements: [] }),
    );
  });

  test.for([
    ['vector_store:name#type', 'pass'],
    ['assistant.v2.list:first_id#type', 'pass'],
    ['assistant.v2.list:last_id#type', 'pass'],
    ['file:status_details#type', 'pass'],
    ['fine_tuning.job:error#type', 'pass'],
    ['thread.message.delta:delta.content[text].text.annotations#type', 'untested'],
  ] as const)('is not blamed for a value that %s permits', ([id, verdict]) => {
    expect([verdictOn(plain, id), verdictOn(excused, id)]).toEqual([verdict, verdict]);
  });

  test('breaks nothing else', () => {
    const broken = excused.requirements.filter((one) => ['fail', 'warn', 'error'].includes(one.verdict));
    expect(broken.map(({ id }) => id)).toEqual([]);
  });

  test('is excused by each of these errata, and by no other', () => {
    expect(excused.errata.map(({ id }) => id).toSorted()).toEqual(
      [...Object.keys(BROKEN_BY_ERRATUM), 'file-batch-paths'].toSorted(),
    );
  });
});

test('a run with a dialect uses its paths, and the reports list what was excused', async () => {
  const dir = join(folder, 'run');
  const only = ['vector_store.file_batch:status*', 'moderation:results[].categories*'].flatMap((glob) => [
    '--only',
    glob,
  ]);
  const flags = [
    '--base-url',
    service.url,
    '--claim',
    'vector-store-file-batches,moderations',
    ...only,
    '--model',
    'assistant=chat-large',
    '--report',
    'terminal,json,markdown,html',
  ];
  const run = await runAssay(['run', ...flags, '--dialect', 'openai', '--report-dir', dir]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  expect(report.dialect.errata.map(({ id }) => id)).toEqual([
    'file-batch-paths',
    'older-moderation-categories',
  ]);
  expect([run.code, report.dialect.name]).toEqual([0, 'openai']);
  // The command `assay cleanup` reads them there.
  const [header = ''] = readFileSync(join(dir, 'ledger.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(header).paths).toMatchObject({
    '/v1/vector_stores/{vector_store_id}/files_batches/{batch_id}':
      '/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}',
  });
  const line =
    'openai older-moderation-categories: Older moderation models know fewer categories, and answer with those alone.';
  for (const text of [run.stdout, readFileSync(join(dir, 'report.html'), 'utf8')])
    expect(text).toContain('Older moderation models know fewer categories');
  expect(run.stdout).toContain(`EXCUSED ${line}`);
  expect(readFileSync(join(dir, 'summary.md'), 'utf8')).toContain(
    'excused: openai older-moderation-categories',
  );
  // The cassette names the dialect, so that a later check gives the same verdicts.
  const check = await runAssay(['check', join(dir, 'cassette')]);
  expect([check.code, check.stdout]).toEqual([0, expect.stringContaining(`EXCUSED ${line}`)]);
});

describe('an unusable dialect is rejected', () => {
  const errata = (excuses: unknown) =>
    JSON.stringify({ dialect: 1, name: 'own', errata: [{ id: 'one', reason: 'So it is.', excuses }] });
  test.for([
    {
      name: 'an unknown name',
      text: null,
      says: 'Unknown dialect "klingon"; name compatible, ollama, openai',
    },
    { name: 'invalid JSON', text: '{', says: 'is not valid JSON' },
    {
      name: 'a missing name',
      text: '{"dialect":1}',
      says: "must have required property 'name'",
    },
    {
      name: 'an unknown requirement',
      text: errata([{ requirements: ['file:byte#type'] }]),
      says: 'excuses file:byte#type',
    },
    {
      name: 'an invalid schema',
      text: errata([{ requirements: ['file:*'], found: { type: 'text' } }]),
      says: 'is not a valid JSON Schema',
    },
    {
      name: 'an unknown path',
      text: '{"dialect":1,"name":"own","errata":[{"id":"one","reason":"So.","paths":{"/v1/nowhere":"/v1/x"}}]}',
      says: 'maps the path /v1/nowhere, which no operation has',
    },
  ])('$name', async ({ text, says }) => {
    const file = join(folder, 'own.json');
    if (text !== null) writeFileSync(file, text);
    await expect(loadDialect(text === null ? 'klingon' : file)).rejects.toThrow(says);
  });
});
