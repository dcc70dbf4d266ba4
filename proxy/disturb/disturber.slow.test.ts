// Real clients before a disturbed reference: two SDKs that retry, and one that is naive on purpose.
import OpenAI from 'openai';
import OpenAIV1 from 'openai-v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reference, startReference } from '../../reference/service.ts';
import { DISTURBANCES, InvalidDisturbance, readDisturbances } from './disturbances.ts';
import { startDisturber } from './disturber.ts';
import type { Reaction } from './reactions.ts';

let reference: Reference;
beforeAll(async () => {
  reference = await startReference();
});
afterAll(() => reference.close());

const MESSAGES = [{ role: 'user' as const, content: 'Say twenty words about rivers and the sea.' }];

/** What a client does after these disturbances. */
async function reactionsOf(
  names: string,
  client: (url: string) => Promise<unknown>,
): Promise<readonly Reaction[]> {
  const disturber = await startDisturber({ upstream: reference.url, disturbances: readDisturbances(names) });
  try {
    // Errors of clients are what is looked at.
    await client(disturber.url).catch(() => undefined);
    return disturber.report();
  } finally {
    await disturber.close();
  }
}

describe.each([
  // as: what both have in common is what is called here
  ['4.36.0', OpenAIV1 as unknown as typeof OpenAI],
  ['4.47.1', OpenAI],
])('the SDK of version %s', (_, Client) => {
  const sdk = (baseURL: string) => new Client({ baseURL, apiKey: 'none', maxRetries: 4 });
  const chat = async (url: string) => {
    const client = sdk(url);
    await client.models.list();
    await client.files.list();
    await client.chat.completions.create({ model: 'chat-small', messages: MESSAGES });
  };

  test.each(['rate-limit-bare', 'error-500', 'error-503', 'reset', 'html-error'])(
    'repeats after %s',
    async (name) => {
      expect(await reactionsOf(name, chat)).toMatchObject([{ disturbance: name, retries: 1, wentOn: true }]);
    },
  );

  test('honours Retry-After', async () => {
    const [reaction] = await reactionsOf('rate-limit', chat);
    expect(reaction).toMatchObject({ retries: 1, honoured: true });
  });

  test('repeats three times after three errors, and gives up after a 401', async () => {
    expect(await reactionsOf('error-503-thrice', chat)).toMatchObject([{ retries: 3, wentOn: true }]);
    expect(await reactionsOf('unauthorized', chat)).toMatchObject([{ retries: 0, wentOn: false }]);
  });

  test('creates an object twice where the answer to the first creation was lost', async () => {
    const [made] = await reactionsOf(
      JSON.stringify([{ name: 'reset', on: 'POST /v1/assistants' }]),
      async (url) => {
        await sdk(url).models.list();
        await sdk(url).files.list();
        await sdk(url).beta.assistants.create({ model: 'chat-small' });
      },
    );
    expect(made?.createdTwice).toHaveLength(2);
  });

  test('rejects half a body and half a stream', async () => {
    for (const name of ['reset-in-body', 'truncated-json', 'stall', 'cut-stream', 'error-event']) {
      let failed = false;
      await reactionsOf(name, async (url) => {
        await sdk(url).models.list();
        await sdk(url)
          .files.list()
          .catch(() => (failed = true));
        const stream = await sdk(url).chat.completions.create({
          model: 'chat-small',
          messages: MESSAGES,
          stream: true,
        });
        try {
          for await (const _ of stream);
        } catch {
          failed = true;
        }
      });
      expect([name, failed]).toEqual([name, true]);
    }
  });

  test.each(['slow-pieces', 'slow-first-byte'])('waits for %s', async (name) => {
    expect(await reactionsOf(name, chat)).toMatchObject([{ retries: 0, wentOn: true }]);
  });
});

/** Repeats at once, whatever the answer, and takes half a stream for the whole. */
async function naiveClient(url: string): Promise<void> {
  await fetch(`${url}/models`);
  await fetch(`${url}/files`);
  const headers = { 'content-type': 'application/json' };
  const create = () =>
    fetch(`${url}/assistants`, { method: 'POST', headers, body: JSON.stringify({ model: 'chat-small' }) });
  if (
    !(await create()
      .then((answer) => answer.ok)
      .catch(() => false))
  )
    await create();
  await fetch(`${url}/models`);
  const body = JSON.stringify({ model: 'chat-small', messages: MESSAGES, stream: true });
  let text = '';
  try {
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body });
    for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString();
  } catch {
    // The end is the end.
  }
  const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, words]) => words).join('');
  const messages = [...MESSAGES, { role: 'assistant', content: said }];
  await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'chat-small', messages }),
  });
}

test('a naive client is found out: no pause, an object twice, half a stream as if it were whole', async () => {
  const file = JSON.stringify([
    { name: 'rate-limit', on: 'POST /v1/assistants' },
    { name: 'cut-stream', on: 'POST /v1/chat/completions', after: 6 },
  ]);
  const [limited, cut] = await reactionsOf(file, naiveClient);
  expect(limited).toMatchObject({ disturbance: 'rate-limit', retries: 1, honoured: false });
  expect(cut).toMatchObject({ disturbance: 'cut-stream', retries: 0, wentOn: true, usedHalf: true });
  const [lost] = await reactionsOf(
    JSON.stringify([{ name: 'reset', on: 'POST /v1/assistants' }]),
    naiveClient,
  );
  expect(lost?.createdTwice).toHaveLength(2);
});

test('wrong names and figures are refused with what is possible', () => {
  expect(readDisturbances('reset,stall').map(({ name }) => name)).toEqual(['reset', 'stall']);
  expect(() => readDisturbances('rset')).toThrow(InvalidDisturbance);
  expect(() => readDisturbances('rset')).toThrow(/reset/);
  expect(() => readDisturbances('[{"name":"stall","milliseconds":-1}]')).toThrow(/milliseconds must be/);
  expect(() => readDisturbances('[{')).toThrow(/not valid JSON/);
  expect(new Set(DISTURBANCES.map(({ name }) => name)).size).toBe(DISTURBANCES.length);
});
