// Real clients and a disturbed reference: two SDKs with their own settings, and one deliberately naive client.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import { type Reference, serveReference } from '../../reference/service.ts';
import { startUpstream } from '../testing/upstream.ts';
import { DISTURBANCES, InvalidDisturbance, readDisturbances } from './disturbances.ts';
import { startDisturber } from './disturber.ts';

let reference: Reference;
beforeAll(async () => {
  reference = await serveReference();
});
afterAll(() => reference.close());

const TEXT = 'one two three four five six';
const MESSAGES = [{ role: 'user' as const, content: `Say "${TEXT}"` }]; // as: a literal type

/** The reactions of a client to these disturbances. */
async function reactionsOf(
  disturbances: string,
  client: (url: string) => Promise<unknown>,
): Promise<readonly DisturbedAnswer[]> {
  const disturber = await startDisturber({
    upstream: reference.url,
    disturbances: readDisturbances(disturbances),
  });
  try {
    await client(disturber.url);
    return disturber.report();
  } finally {
    await disturber.close();
  }
}

/** The text of a response as a program gets it from its SDK; null if the SDK throws. */
type Sdk = (baseURL: string, mode: 'whole' | 'stream') => Promise<string>;

const openai: Sdk = async (baseURL, mode) => {
  const client = new OpenAI({ baseURL, apiKey: 'none' });
  const body = { model: 'chat-small', messages: MESSAGES };
  if (mode === 'whole') {
    const said = await client.chat.completions.create(body);
    return said.choices[0]?.message.content ?? '';
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

/** The reaction of an SDK to one disturbance. */
interface Reaction {
  readonly retries: number;
  /** The text that the program gets; null for an error. */
  readonly gets: string | null;
  readonly honoured?: boolean;
}
const once: Reaction = { retries: 1, gets: TEXT };
const gaveUp = (retries: number): Reaction => ({ retries, gets: null });
const waited: Reaction = { retries: 0, gets: TEXT };

/** Expected reactions of both SDKs by disturbance, then the differences. */
const BOTH: Readonly<Record<string, Reaction>> = {
  'rate-limit': { ...once, honoured: true },
  'rate-limit-bare': once,
  'error-500': once,
  'error-500-thrice': gaveUp(2),
  'error-503': once,
  'error-503-thrice': gaveUp(2),
  reset: once,
  'reset-in-body': gaveUp(0),
  'cut-stream': gaveUp(0),
  stall: gaveUp(0),
  'slow-pieces': waited,
  'truncated-json': gaveUp(0),
  'error-event': gaveUp(0),
  'html-error': once,
  'duplicate-event': { retries: 0, gets: 'oneone two three four five six' },
  unauthorized: gaveUp(0),
  'slow-first-byte': waited,
};
/** The SDKs differ here: one of them retries after a truncated body. */
const OWN: Readonly<Record<string, Readonly<Record<string, Reaction>>>> = {
  ai: { 'reset-in-body': once, stall: once },
};

test('every disturbance is tried', () => {
  expect(Object.keys(BOTH).toSorted()).toEqual(DISTURBANCES.map(({ name }) => name).toSorted());
});

// Run concurrently, because they wait most of the time.
describe.concurrent.each([
  { name: 'openai', sdk: openai },
  { name: 'ai', sdk: ai },
])('the SDK $name', ({ name, sdk }) => {
  test.each(DISTURBANCES)('after $name', async ({ name: way, needs }) => {
    const plan = JSON.stringify([{ name: way, on: 'POST /v1/chat', milliseconds: 100 }]);
    let gets: string | null = null;
    const [reaction] = await reactionsOf(plan, async (url) => {
      gets = await sdk(url, needs === 'stream' ? 'stream' : 'whole').catch(() => null);
    });
    const expected = OWN[name]?.[way] ?? BOTH[way];
    const { retries, honoured, createdTwice, usedHalf } = reaction ?? {};
    expect({ retries, gets, honoured }).toEqual({ honoured: null, ...expected });
    expect([createdTwice, usedHalf]).toEqual([[], false]);
  });
});

test('an SDK creates an object twice if the response to the first creation was lost, and not if it was rejected', async () => {
  const create = (url: string) =>
    new OpenAI({ baseURL: url, apiKey: 'none' }).beta.assistants.create({ model: 'chat-small' });
  const on = 'POST /v1/assistants';
  const [lost] = await reactionsOf(JSON.stringify([{ name: 'reset', on }]), create);
  expect(lost).toMatchObject({
    retries: 1,
    createdTwice: [/^asst_/, /^asst_/].map((form) => expect.stringMatching(form)),
  });
  const [refused] = await reactionsOf(JSON.stringify([{ name: 'error-503', on }]), create);
  expect(refused).toMatchObject({ retries: 1, createdTwice: [] });
});

/** Retries immediately after any response, and treats half a stream as complete. */
async function naiveClient(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const send = (path: string, body: object) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const create = () => send('/assistants', { model: 'chat-small' });
  const made = await create().catch(() => null);
  if (made?.ok !== true) await create();
  const chat = { model: 'chat-small', messages: MESSAGES };
  let text = '';
  try {
    const answer = await send('/chat/completions', { ...chat, stream: true });
    for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString();
  } catch {
    // The stream ended normally.
  }
  const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, words]) => words).join('');
  await send('/chat/completions', { ...chat, messages: [...MESSAGES, { role: 'assistant', content: said }] });
}

test('mistakes of a naive client are found: no pause, an object created twice, half a stream used as a whole one', async () => {
  const cut = { name: 'cut-stream', on: 'POST /v1/chat/completions', after: 6 };
  const limit = { name: 'rate-limit', on: 'POST /v1/assistants' };
  const [limited, half] = await reactionsOf(JSON.stringify([limit, cut]), naiveClient);
  expect(limited).toMatchObject({
    disturbance: 'rate-limit',
    retries: 1,
    honoured: false,
    // A rejected creation was not carried out, so repeating it makes only one object.
    createdTwice: [],
  });
  expect(half).toMatchObject({ disturbance: 'cut-stream', retries: 0, wentOn: true, usedHalf: true });
  const reset = JSON.stringify([{ name: 'reset', on: 'POST /v1/assistants' }]);
  const [lost] = await reactionsOf(reset, naiveClient);
  expect(lost?.createdTwice).toHaveLength(2);
});

test('a client that requests a truncated stream again uses no half, though the whole text begins with it', async () => {
  const cut = JSON.stringify([{ name: 'cut-stream', on: 'POST /v1/chat/completions', after: 6 }]);
  const [reaction] = await reactionsOf(cut, async (url) => {
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

test('a disturbance that no request matches is reported as unused', async () => {
  const reactions = await reactionsOf('cut-stream', (url) => fetch(`${url}/models`));
  expect(reactions).toMatchObject([{ disturbance: 'cut-stream', request: null, retries: 0 }]);
});

test('wrong names and numbers are rejected with the possible ones', () => {
  expect(readDisturbances('reset,stall').map(({ name }) => name)).toEqual(['reset', 'stall']);
  expect(() => readDisturbances('rset')).toThrow(InvalidDisturbance);
  expect(() => readDisturbances('rset')).toThrow(/reset/);
  expect(() => readDisturbances('[{"name":"stall","milliseconds":-1}]')).toThrow(/milliseconds must be/);
  expect(() => readDisturbances('[{')).toThrow(/not valid JSON/);
  expect(new Set(DISTURBANCES.map(({ name }) => name)).size).toBe(DISTURBANCES.length);
});

test('marks that a service sends itself are not passed on', async () => {
  const service = await startUpstream((_, res) => {
    res.writeHead(200, {
      'x-assay-disturbed': 'reset',
      'X-Assay-Created-Before': 'thread_0',
      'x-own': 'kept',
    });
    res.end('{"id":"thread_1"}');
  });
  const disturber = await startDisturber({ upstream: service.url, disturbances: readDisturbances('reset') });
  try {
    const { headers } = await fetch(`${disturber.url}/threads`, { method: 'POST' });
    expect([...headers.keys()].filter((name) => name.startsWith('x-'))).toEqual(['x-own']);
  } finally {
    await disturber.close();
    await service.close();
  }
});
