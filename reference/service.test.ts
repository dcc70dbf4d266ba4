import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Reference, type ReferenceOptions, serveReference } from './service.ts';

const POLLING = { timeout: 30_000, interval: 10 };

const references: Reference[] = [];
const start = async (options: ReferenceOptions = {}) => {
  const reference = await serveReference(options);
  references.push(reference);
  return reference;
};

afterEach(async () => {
  for (const reference of references.splice(0)) await reference.close();
});

const json = { 'content-type': 'application/json' };
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
const readJson = async (url: string) => (await fetch(url)).json();
const createForm = (fields: Record<string, string>, files: Record<string, [string, string]> = {}) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const [name, [filename, text]] of Object.entries(files)) data.append(name, new Blob([text]), filename);
  return data;
};
const upload = async (
  url: string,
  purpose = 'fine-tune',
  text = '{"messages":[{"role":"user","content":"Hi"}]}',
) =>
  (
    await fetch(`${url}/files`, {
      method: 'POST',
      body: createForm({ purpose }, { file: ['a.jsonl', text] }),
    })
  ).json();
const hello = { model: 'chat-large', messages: [{ role: 'user', content: 'Hello' }] };

describe('errors', () => {
  const readError = async (answer: Response) => {
    const { error } = await answer.json();
    expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
    return { status: answer.status, param: error.param, message: error.message };
  };

  it.each([
    ['a missing field', {}, 400, 'messages', /Missing required parameter: 'messages'/],
    ['a number that is too high', { ...hello, temperature: 3 }, 400, 'temperature', /must be <= 2, but is 3/],
    ['a wrong type', { ...hello, messages: [{ content: 5 }] }, 400, 'messages[0].content', /must be string/],
    [
      'a value that is not listed',
      { ...hello, tool_choice: 'x' },
      400,
      'tool_choice',
      /none, auto, required/,
    ],
    ['a rule across fields', { ...hello, top_logprobs: 2 }, 400, 'top_logprobs', /need logprobs/],
    ['an unknown model', { ...hello, model: 'x' }, 404, 'model', /does not exist/],
    ['a long name', { ...hello, model: '😀'.repeat(50) }, 404, 'model', /'(😀){38}\.\.\.' does/],
    [
      'a model that does not support chat',
      { ...hello, model: 'tts-1' },
      400,
      'model',
      /does not support chat/,
    ],
    ['a limit beyond the context', { ...hello, max_tokens: 1e9 }, 400, 'messages', /context/],
  ])('name the field and say why: %s', async (_, body, status, param, message) => {
    const { url } = await start();
    expect(await readError(await post(`${url}/chat/completions`, body))).toMatchObject({
      status,
      param,
      message: expect.stringMatching(message),
    });
  });

  it('name null among the permitted values', async () => {
    const { url } = await start();
    const refused = await post(`${url}/images/generations`, { prompt: 'x', size: '5x5' });
    expect((await readError(refused)).message).toContain('1024x1792, null, but is "5x5"');
  });

  it.each([
    ['409', 409],
    ['400', 400],
    // 404 for every cancellation would mean that the path is not served.
    ['404', 422],
  ])('answer a cancellation that is always too late: the choice of %s gives %i', async (status, sent) => {
    const choices = new Map([
      ['batches.cancel.in-time', 'too late'],
      ['errors.status.of-refused-cancellation', status],
    ]);
    const { url } = await start({ choices });
    const line = JSON.stringify({
      custom_id: '1',
      method: 'POST',
      url: '/v1/chat/completions',
      body: hello,
    });
    const { id } = await upload(url, 'batch', line);
    const body = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    const batch = await (await post(`${url}/batches`, body)).json();
    expect((await post(`${url}/batches/${batch.id}/cancel`, {})).status).toBe(sent);
  });

  it('distinguish bad bodies, media types, queries, paths and methods', async () => {
    const { url } = await start();
    const send = (body: string, type = 'application/json', path = '/chat/completions') =>
      fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body });
    const cases: [Promise<Response>, number, RegExp][] = [
      [send('{"mod'), 400, /not valid JSON/],
      [send(''), 400, /empty/],
      [send('['.repeat(5000) + ']'.repeat(5000)), 400, /nested deeper/],
      [send('model=x', 'application/x-www-form-urlencoded'), 415, /content type/],
      [send('{}', 'application/json', '/files'), 415, /multipart/],
      [
        fetch(`${url}/chat/completions`, { method: 'POST', body: createForm({ a: 'b' }) }),
        415,
        /form-data.*not supported/,
      ],
      [send('x', 'multipart/form-data', '/files'), 400, /boundary/i],
      [
        fetch(`${url}/files`, { method: 'POST', body: createForm({ purpose: 'batch', file: 'x' }) }),
        400,
        /be a file/,
      ],
      [fetch(`${url}/files?purpose=batch&purpose=vision`), 400, /purpose/],
      [fetch(`${url}/batches?limit=x`), 400, /'limit' must be integer/],
      [fetch(`${url}/batches?limit=1e999`), 400, /'limit' must be integer, but is "1e999"/],
      [fetch(`${url}/nothing`), 404, /GET \/v1\/nothing/],
      [fetch(`${url}/files/%ff`), 400, /valid URL/],
      [fetch(`${url}/models`, { method: 'DELETE' }), 405, /takes GET/],
    ];
    for (const [answer, status, message] of cases) {
      expect(await readError(await answer)).toMatchObject({
        status,
        message: expect.stringMatching(message),
      });
    }
    expect((await fetch(`${url}/models`, { method: 'DELETE' })).headers.get('allow')).toBe('GET');
  });

  it('answer a body beyond the limit before it is read', async () => {
    const { url } = await start();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{',
    );
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});

describe('authentication', () => {
  it('accepts only the key, sent as a bearer token', async () => {
    const { url } = await start({ apiKey: 'secret-key' });
    const readStatus = async (headers: Record<string, string>) =>
      (await fetch(`${url}/models`, { headers })).status;
    expect(await readStatus({})).toBe(401);
    expect(await readStatus({ authorization: 'Bearer other' })).toBe(401);
    expect(await readStatus({ authorization: 'secret-key' })).toBe(401);
    expect(await readStatus({ authorization: 'Bearer secret-key' })).toBe(200);
  });

  it('serves an image to anyone who has its URL', async () => {
    const { url } = await start({ apiKey: 'secret-key' });
    const prompt = { prompt: 'x', size: '256x256' };
    const answer = await post(`${url}/images/generations`, prompt, { authorization: 'Bearer secret-key' });
    expect((await fetch((await answer.json()).data[0].url)).status).toBe(200);
  });
});

describe('organizations', () => {
  it('keep the objects of two keys separate, and accept no third key', async () => {
    const { url } = await start({ apiKey: 'first-key', secondKey: 'second-key' });
    const createCredentials = (key: string) => ({ authorization: `Bearer ${key}-key` });
    const headers = createCredentials('second');
    const body = createForm({ purpose: 'assistants' }, { file: ['a.txt', 'text'] });
    const { id } = await (await fetch(`${url}/files`, { method: 'POST', headers, body })).json();
    const listFiles = async (key: string) =>
      (await (await fetch(`${url}/files`, { headers: createCredentials(key) })).json()).data.map(
        (file: { id: string }) => file.id,
      );
    expect([await listFiles('first'), await listFiles('second')]).toEqual([[], [id]]);
    expect((await fetch(`${url}/files/${id}`, { headers: createCredentials('first') })).status).toBe(404);
    expect((await fetch(`${url}/files`, { headers: createCredentials('third') })).status).toBe(401);
  });

  it('serve an image of any organization to anyone who has its URL', async () => {
    const { url } = await start({ apiKey: 'first-key', secondKey: 'second-key' });
    const headers = { authorization: 'Bearer second-key' };
    const prompt = { prompt: 'x', size: '256x256' };
    const images = await (await post(`${url}/images/generations`, prompt, headers)).json();
    expect((await fetch(images.data[0].url)).status).toBe(200);
  });
});

describe('determinism', () => {
  const collectResponses = async (seed: number) => {
    const { url } = await start({ seed, clock: () => 1_700_000_000_000 });
    const parts = [await (await post(`${url}/chat/completions`, { ...hello, stream: true, n: 2 })).text()];
    parts.push(JSON.stringify(await upload(url)));
    for (const response_format of ['mp3', 'opus', 'flac']) {
      const speech = { model: 'tts-1', voice: 'echo', input: 'Hello', response_format };
      parts.push(
        Buffer.from(await (await post(`${url}/audio/speech`, speech)).arrayBuffer()).toString('base64'),
      );
    }
    const image = { prompt: 'x', size: '256x256', response_format: 'b64_json' };
    parts.push(await (await post(`${url}/images/generations`, image)).text());
    return parts;
  };

  it('gives the same responses to the same requests, byte for byte, and another completion with another seed', async () => {
    const [one, two, other] = [
      await collectResponses(7),
      await collectResponses(7),
      await collectResponses(8),
    ];
    expect(two).toEqual(one);
    expect(other[0]).not.toBe(one[0]);
  });
});

describe('time', () => {
  it('advances a job by the clock if a delay is set', async () => {
    let now = 1_700_000_000_000;
    const { url } = await start({ stateDelay: 10, clock: () => now });
    const file = await upload(url);
    const body = { model: 'chat-small', training_file: file.id };
    const job = await (await post(`${url}/fine_tuning/jobs`, body)).json();
    const readStates = async () => [
      (await readJson(`${url}/fine_tuning/jobs/${job.id}`)).status,
      (await readJson(`${url}/fine_tuning/jobs`)).data[0].status,
    ];
    expect(await readStates()).toEqual(['queued', 'queued']);
    expect(await readStates()).toEqual(['queued', 'queued']);
    now += 10_000;
    expect(await readStates()).toEqual(['validating_files', 'validating_files']);
    now += 60_000;
    expect(await readStates()).toEqual(['succeeded', 'succeeded']);
    expect((await readJson(`${url}/fine_tuning/jobs/${job.id}`)).finished_at).toBe(1_700_000_030);
  });

  it('ends a job whose tuned base model was deleted while it ran', async () => {
    let now = 1_700_000_000_000;
    const { url } = await start({ stateDelay: 10, clock: () => now });
    const { id: training_file } = await upload(url);
    const tune = async (model: string) => {
      const job = await (await post(`${url}/fine_tuning/jobs`, { model, training_file })).json();
      return () => readJson(`${url}/fine_tuning/jobs/${job.id}`);
    };
    const readFirst = await tune('chat-small');
    now += 60_000;
    const { fine_tuned_model: base } = await readFirst();
    const readSecond = await tune(base);
    expect((await fetch(`${url}/models/${base}`, { method: 'DELETE' })).status).toBe(200);
    now += 60_000;
    expect(await readSecond()).toMatchObject({ status: 'succeeded', model: base });
  });

  it('stops serving an image after 60 minutes', async () => {
    let now = 1_700_000_000_000;
    const { url } = await start({ clock: () => now });
    const images = await (await post(`${url}/images/generations`, { prompt: 'x', size: '256x256' })).json();
    const readStatus = async () => (await fetch(images.data[0].url)).status;
    now += 59 * 60_000;
    expect(await readStatus()).toBe(200);
    now += 60_000;
    expect(await readStatus()).toBe(404);
  });
});

describe('files', () => {
  it('leave nothing behind: not a truncated upload, not a rejected one, nothing after the close', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-reference-test-'));
    const reference = await start({ directory });
    const listLeftovers = async () => (await readdir(directory, { recursive: true })).slice(1);
    const { hostname, port } = new URL(reference.url);
    const socket = connect(Number(port), hostname);
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    socket.write(
      `POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 999999\r\n\r\n${part}${'cut '.repeat(100_000)}`,
    );
    await expect.poll(listLeftovers, POLLING).not.toEqual([]);
    socket.destroy();
    await expect.poll(listLeftovers, POLLING).toEqual([]);
    // Files of this size are written to disk; smaller ones stay in memory.
    const file: [string, string] = ['a.txt', 'x'.repeat(400_000)];
    const refusedForm = createForm({ purpose: 'nothing' }, { file });
    const refused = await fetch(`${reference.url}/files`, { method: 'POST', body: refusedForm });
    expect(refused.status).toBe(400);
    expect(await listLeftovers()).toEqual([]);
    const accepted = createForm({ purpose: 'assistants' }, { file });
    expect((await fetch(`${reference.url}/files`, { method: 'POST', body: accepted })).status).toBe(200);
    expect(await listLeftovers()).toHaveLength(1);
    await reference.close();
    expect(await readdir(directory)).toEqual([]);
    await rm(directory, { recursive: true });
  });

  it('with a line of 18 MiB are rejected if the service validates the lines of uploads', async () => {
    const { url } = await start({ choices: new Map([['files.upload.contents', 'refused']]) });
    const { error } = await upload(url, 'batch', 'x'.repeat(18 * 1024 * 1024));
    expect(error.message).toBe("The lines do not fit the purpose 'batch'.");
    expect((await readJson(`${url}/files`)).data).toEqual([]);
  });
});

describe('forms', () => {
  const inJson = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${value}\r\n`;
  const file = (text: string) =>
    `--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${text}\r\n--x--\r\n`;
  const send = async (body: string) => {
    const { url } = await start();
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    return fetch(`${url}/files`, { method: 'POST', headers, body });
  };

  it('are rejected for an invalid field before a large file', async () => {
    const refused = await send(inJson('purpose', '{') + file('x'.repeat(400_000)));
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('not valid JSON')]);
  });

  it('have only the fields that they name', async () => {
    const refused = await send(inJson('__proto__[]', '{"purpose":"assistants"}') + file('x'));
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("'purpose'")]);
  });

  it('have the first of several files of a field, even if a smaller one follows', async () => {
    const { url } = await start();
    const form = createForm({ purpose: 'assistants' }, { file: ['first.txt', 'x'.repeat(400_000)] });
    form.append('file', new Blob(['x']), 'second.txt');
    const accepted = await fetch(`${url}/files`, { method: 'POST', body: form });
    expect(await accepted.json()).toMatchObject({ filename: 'first.txt', bytes: 400_000 });
  });
});

describe('embeddings', () => {
  it.each([
    [8192, 200],
    [8193, 400],
  ])('of a text of %i tokens return %i', async (count, status) => {
    const { url } = await start();
    const embedding = await post(`${url}/embeddings`, { model: 'embed-1', input: ' a'.repeat(count) });
    expect(embedding.status).toBe(status);
  });

  it.each([[[]], [[[]]]])('are rejected for the input %j', async (input) => {
    const { url } = await start();
    expect((await post(`${url}/embeddings`, { model: 'embed-1', input })).status).toBe(400);
  });
});

describe('faults', () => {
  it('answer the first request to each path with 429: rate-limit', async () => {
    const { url } = await start({ fault: 'rate-limit' });
    for (const path of ['/models', '/files']) {
      const first = await fetch(url + path);
      expect([first.status, first.headers.get('retry-after')]).toEqual([429, '0']);
      expect((await fetch(url + path)).status).toBe(200);
    }
  });

  it('are combined: the second one keeps a chunk that the first one has cut off', async () => {
    const { url } = await start({ fault: 'chat-chunk-cut-off,chat-created-moves', clock: () => 1_000_000 });
    const text = await (await post(`${url}/chat/completions`, { ...hello, stream: true })).text();
    expect(text).toMatch(/^data: \{.*data: \{/m);
    expect(text).toContain('"created":1002,');
  });
});
