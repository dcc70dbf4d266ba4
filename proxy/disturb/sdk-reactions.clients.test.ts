import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reference, serveReference } from '../../reference/service.ts';
import { collectReactions } from '../testing/disturbed-client.ts';
import { DISTURBANCES } from './disturbances.ts';

let reference: Reference;
beforeAll(async () => {
  reference = await serveReference();
});
afterAll(() => reference.close());

const TEXT = 'one two three four five six';
const MESSAGES = [{ role: 'user' as const, content: `Say "${TEXT}"` }]; // as: a literal type

type Sdk = (baseURL: string, mode: 'whole' | 'stream') => Promise<string>;

const openai: Sdk = async (baseURL, mode) => {
  const client = new OpenAI({ baseURL, apiKey: 'none' });
  const body = { model: 'chat-small', messages: MESSAGES };
  if (mode === 'whole') {
    const completion = await client.chat.completions.create(body);
    return completion.choices[0]?.message.content ?? '';
  }
  let text = '';
  for await (const { choices } of await client.chat.completions.create({ ...body, stream: true }))
    text += choices[0]?.delta.content ?? '';
  return text;
};

const ai: Sdk = async (baseURL, mode) => {
  const model = createOpenAI({ baseURL, apiKey: 'none' }).chat('chat-small');
  if (mode === 'whole') return (await generateText({ model, messages: MESSAGES })).text;
  let text = '';
  // Errors are parts of the stream, and the default is to print them.
  const { fullStream } = streamText({ model, messages: MESSAGES, onError: () => {} });
  for await (const part of fullStream) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'error') throw part.error;
  }
  return text;
};

interface Reaction {
  readonly retries: number;
  readonly received: string | null;
  readonly honoured?: boolean;
}
const ONE_RETRY: Reaction = { retries: 1, received: TEXT };
const giveUpAfter = (retries: number): Reaction => ({ retries, received: null });
const NO_RETRY: Reaction = { retries: 0, received: TEXT };

const SHARED_REACTIONS: Readonly<Record<string, Reaction>> = {
  'rate-limit': { ...ONE_RETRY, honoured: true },
  'rate-limit-bare': ONE_RETRY,
  'error-500': ONE_RETRY,
  'error-500-thrice': giveUpAfter(2),
  'error-503': ONE_RETRY,
  'error-503-thrice': giveUpAfter(2),
  reset: ONE_RETRY,
  'reset-in-body': giveUpAfter(0),
  'cut-stream': giveUpAfter(0),
  stall: giveUpAfter(0),
  'slow-pieces': NO_RETRY,
  'truncated-json': giveUpAfter(0),
  'error-event': giveUpAfter(0),
  'html-error': ONE_RETRY,
  'duplicate-event': { retries: 0, received: 'oneone two three four five six' },
  unauthorized: giveUpAfter(0),
  'slow-first-byte': NO_RETRY,
};
const OWN_REACTIONS: Readonly<Record<string, Readonly<Record<string, Reaction>>>> = {
  ai: { 'reset-in-body': ONE_RETRY, stall: ONE_RETRY },
};

test('every disturbance has an expected reaction', () => {
  expect(Object.keys(SHARED_REACTIONS).toSorted()).toEqual(DISTURBANCES.map(({ name }) => name).toSorted());
});

// The tests run concurrently, because they wait most of the time.
describe.concurrent.each([
  { name: 'openai', sdk: openai },
  { name: 'ai', sdk: ai },
])('the SDK $name', ({ name, sdk }) => {
  test.each(DISTURBANCES)('reacts to $name as expected', async ({ name: disturbance, needs }) => {
    const plan = JSON.stringify([{ name: disturbance, on: 'POST /v1/chat', milliseconds: 100 }]);
    let received: string | null = null;
    const [reaction] = await collectReactions(reference.url, plan, async (url) => {
      received = await sdk(url, needs === 'stream' ? 'stream' : 'whole').catch(() => null);
    });
    const expected = OWN_REACTIONS[name]?.[disturbance] ?? SHARED_REACTIONS[disturbance];
    const { retries, honoured, createdTwice, usedHalf } = reaction ?? {};
    expect({ retries, received, honoured }).toEqual({ honoured: null, ...expected });
    expect([createdTwice, usedHalf]).toEqual([[], false]);
  });
});

test('an SDK creates an object twice if the response to the first creation was lost, and not if it was rejected', async () => {
  const create = (url: string) =>
    new OpenAI({ baseURL: url, apiKey: 'none' }).beta.assistants.create({ model: 'chat-small' });
  const on = 'POST /v1/assistants';
  const [lost] = await collectReactions(reference.url, JSON.stringify([{ name: 'reset', on }]), create);
  expect(lost).toMatchObject({
    retries: 1,
    createdTwice: [/^asst_/, /^asst_/].map((form) => expect.stringMatching(form)),
  });
  const [refused] = await collectReactions(
    reference.url,
    JSON.stringify([{ name: 'error-503', on }]),
    create,
  );
  expect(refused).toMatchObject({ retries: 1, createdTwice: [] });
});

test('a client that requests a truncated stream again does not count as using half of it', async () => {
  const cut = JSON.stringify([{ name: 'cut-stream', on: 'POST /v1/chat/completions', after: 6 }]);
  const [reaction] = await collectReactions(reference.url, cut, async (url) => {
    await openai(url, 'stream').catch(() => '');
    const whole = await openai(url, 'stream');
    expect(whole).toBe(TEXT);
    const messages = [...MESSAGES, { role: 'assistant' as const, content: whole }]; // as: a literal type
    await new OpenAI({ baseURL: url, apiKey: 'none' }).chat.completions.create({
      model: 'chat-small',
      messages,
    });
  });
  expect(reaction).toMatchObject({ retries: 1, wentOn: true, usedHalf: false });
});
