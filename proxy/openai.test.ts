import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import OpenAIv1 from 'openai-v1';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startReference } from '../reference/service.ts';
import { type Chunking, parseChunking } from './chunking.ts';
import { record } from './record.ts';
import { replay } from './replay.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-openai-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Client = typeof OpenAI;
// as: the two versions share all that is used here
const Earlier = OpenAIv1 as unknown as Client;
const KEY = 'sk-live-key-of-the-recording';

/** What an application does with the service; all that it got to see. */
async function session(Client: Client, baseURL: string, apiKey: string): Promise<unknown[]> {
  const client = new Client({ baseURL, apiKey, maxRetries: 0 });
  const seen: unknown[] = [];
  const models = await client.models.list();
  const model = models.data[0]?.id ?? '';
  seen.push(models.data);
  const file = await client.files.create({
    file: await toFile(Buffer.from('{"a":1}\n'.repeat(2_000)), 'lines.jsonl'),
    purpose: 'fine-tune',
  });
  seen.push(file, await (await client.files.content(file.id)).text());
  const messages = [{ role: 'user' as const, content: 'Say héllo 👋' }];
  seen.push(await client.chat.completions.create({ model, messages, n: 2, logprobs: true }));
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  for await (const chunk of stream) seen.push(chunk);
  const tools = [
    {
      type: 'function' as const,
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ];
  const choice = { type: 'function' as const, function: { name: 'weather' } };
  const called = await client.chat.completions.create({
    model,
    messages,
    tools,
    tool_choice: choice,
    stream: true,
  });
  for await (const chunk of called) seen.push(chunk);
  seen.push(await client.files.del(file.id));
  seen.push(await client.files.retrieve(file.id).catch((error: { status: number }) => error.status));
  return seen;
}

async function recordSession(Client: Client, cassette: string): Promise<unknown[]> {
  const reference = await startReference({ clock: () => 1_700_000_000_000 });
  const recorder = await record({ baseUrl: reference.url, cassette });
  try {
    return await session(Client, recorder.url, KEY);
  } finally {
    await recorder.close();
    await reference.close();
  }
}

async function replaySession(
  Client: Client,
  cassette: string,
  chunking?: Chunking | null,
): Promise<unknown[]> {
  const replayer = await replay({ cassettes: [cassette], strict: true, ...(chunking && { chunking }) });
  let seen: unknown[] = [];
  try {
    seen = await session(Client, replayer.url, 'sk-another-key-altogether');
  } finally {
    const report = await replayer.close();
    expect(report).toMatchObject({ misses: [], leftovers: [], failed: false });
  }
  return seen;
}

test.each([
  ['4.47.1', OpenAI],
  ['4.36.0', Earlier],
])(
  'the client %s sees the same from the recording as from the service, under every chunking and with another key',
  async (_, Client) => {
    const cassette = join(root, 'c');
    const live = await recordSession(Client, cassette);
    expect(live.length).toBeGreaterThan(10);
    expect(await replaySession(Client, cassette)).toEqual(live);
    for (const name of [
      'event',
      'whole',
      'bytes:1',
      'bytes:7',
      'split-utf8',
      'split-crlf',
      'seed:1',
      'seed:2',
    ]) {
      expect(await replaySession(Client, cassette, parseChunking(name)), name).toEqual(live);
    }
  },
);

test('recording the same session again, and recording its replay, gives the same cassette', async () => {
  const [first, second, third] = ['a', 'b', 'c'].map((name) => join(root, name)) as [string, string, string];
  await recordSession(OpenAI, first);
  await recordSession(OpenAI, second);
  const replayer = await replay({ cassettes: [first] });
  const recorder = await record({ baseUrl: replayer.url, cassette: third });
  await session(OpenAI, recorder.url, 'sk-a-key-of-the-same-length!'.slice(0, KEY.length));
  await recorder.close();
  await replayer.close();
  const lines = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8').split('\n').slice(1, -2);
  expect(lines(second)).toEqual(lines(first));
  expect(lines(third)).toEqual(lines(first));
});
