import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai-v6';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRecorder } from '../proxy/record/record.ts';
import { startReplayer } from '../proxy/replay/replay.ts';
import type { TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import { startAnsweringProxy } from './testing/answering-proxy.ts';

const MODEL = 'chat-large';
const PARALLEL = 20;
const RETRIED_PROMPT = 'Send this again.';
const key = 'any-key';
const root = mkdtempSync(join(tmpdir(), 'assay-libraries-'));
let reference: Reference;
let service: TestUpstream;
const refusedBodies = new Set<string>();

beforeAll(async () => {
  reference = await serveReference({ pace: 5 });
  service = await startAnsweringProxy(reference.url, ({ body }) => {
    if (!body.includes(RETRIED_PROMPT) || refusedBodies.has(body)) return null;
    refusedBodies.add(body);
    return { status: 503 };
  });
});

afterAll(async () => {
  await service.close();
  await reference.close();
  rmSync(root, { recursive: true });
});

const prompts = Array.from({ length: PARALLEL }, (_, i) => `Count from ${i} to ${i + 9}.`);

const SESSIONS: Readonly<Record<string, (baseURL: string) => Promise<unknown>>> = {
  async openai(baseURL) {
    const client = new OpenAI({ baseURL, apiKey: key, maxRetries: 2 });
    const createRequest = (content: string) => ({
      model: MODEL,
      messages: [{ role: 'user' as const, content }],
    });
    const complete = async (content: string) =>
      (await client.chat.completions.create(createRequest(content))).choices[0]?.message.content;
    const stream = async (content: string) => {
      const pieces: unknown[] = [];
      const stream = await client.chat.completions.create({ ...createRequest(content), stream: true });
      for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content);
      return pieces;
    };
    const abort = async () => {
      const stream = await client.chat.completions.create({ ...createRequest('Stop soon.'), stream: true });
      for await (const chunk of stream) {
        stream.controller.abort();
        return chunk.choices.length;
      }
      return null;
    };
    const models = (await client.models.list()).data.map(({ id }) => id);
    const parallel = await Promise.all(prompts.map(stream));
    return {
      models,
      reply: await complete('Hello'),
      retried: await complete(RETRIED_PROMPT),
      parallel,
      aborted: await abort(),
    };
  },
  async langchain(baseURL) {
    const createModel = (more: object = {}) =>
      new ChatOpenAI({ model: MODEL, apiKey: key, maxRetries: 2, configuration: { baseURL }, ...more });
    const stream = async (content: string) => {
      const pieces: unknown[] = [];
      for await (const chunk of await createModel().stream(content)) pieces.push(chunk.content);
      return pieces;
    };
    const abort = async () => {
      const controller = new AbortController();
      try {
        for await (const _ of await createModel().stream('Stop soon.', { signal: controller.signal }))
          controller.abort();
        return 'complete';
      } catch {
        return 'aborted';
      }
    };
    return {
      reply: (await createModel().invoke('Hello')).content,
      retried: (await createModel().invoke(RETRIED_PROMPT)).content,
      parallel: await Promise.all(prompts.map(stream)),
      aborted: await abort(),
    };
  },
  async 'ai-sdk'(baseURL) {
    const model = createOpenAI({ baseURL, apiKey: key }).chat(MODEL);
    const stream = async (prompt: string) => {
      const pieces: string[] = [];
      for await (const piece of streamText({ model, prompt }).textStream) pieces.push(piece);
      return pieces;
    };
    const abort = async () => {
      const controller = new AbortController();
      const { textStream } = streamText({ model, prompt: 'Stop soon.', abortSignal: controller.signal });
      for await (const _ of textStream) {
        controller.abort();
        break;
      }
      return controller.signal.aborted;
    };
    return {
      reply: (await generateText({ model, prompt: 'Hello' })).text,
      retried: (await generateText({ model, prompt: RETRIED_PROMPT, maxRetries: 2 })).text,
      parallel: await Promise.all(prompts.map(stream)),
      aborted: await abort(),
    };
  },
};

test.each(Object.keys(SESSIONS))('%s sees the same through the recorder and in the replay', async (name) => {
  const session = SESSIONS[name];
  if (session === undefined) throw new Error(name);
  refusedBodies.clear();
  const cassette = join(root, name);
  const recorder = await startRecorder({ baseUrl: service.url, cassette });
  const live = await session(recorder.url);
  const { recorded, unrecorded, missed } = await recorder.close();
  expect({ unrecorded, missed }).toEqual({ unrecorded: 0, missed: 0 });
  expect(recorded).toBeGreaterThanOrEqual(PARALLEL + 4);

  const replayer = await startReplayer({ cassettes: [cassette], strict: true });
  const replayed = await session(replayer.url);
  const report = await replayer.close();
  expect(replayed).toEqual(live);
  expect(report).toMatchObject({ misses: [], failed: false });
  expect(live).toHaveProperty('parallel.length', PARALLEL);
});
