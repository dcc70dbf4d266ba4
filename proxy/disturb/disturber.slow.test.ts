import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reference, serveReference } from '../../reference/service.ts';
import { collectReactions } from '../testing/disturbed-client.ts';
import { startUpstream } from '../testing/upstream.ts';
import { readDisturbances } from './disturbances.ts';
import { startDisturber } from './disturber.ts';

let reference: Reference;
beforeAll(async () => {
  reference = await serveReference();
});
afterAll(() => reference.close());

const TEXT = 'one two three four five six';
const MESSAGES = [{ role: 'user', content: `Say "${TEXT}"` }];

async function runNaiveClient(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const send = (path: string, body: object) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const create = () => send('/assistants', { model: 'chat-small' });
  const creation = await create().catch(() => null);
  if (creation?.ok !== true) await create();
  const chat = { model: 'chat-small', messages: MESSAGES };
  let text = '';
  try {
    const answer = await send('/chat/completions', { ...chat, stream: true });
    for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString();
  } catch {
    // A naive client takes a truncated stream for a complete one.
  }
  const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, words]) => words).join('');
  await send('/chat/completions', { ...chat, messages: [...MESSAGES, { role: 'assistant', content: said }] });
}

test('a client is found to repeat a rate-limited request without a pause, and to use half a stream as if it were whole', async () => {
  const cut = { name: 'cut-stream', on: 'POST /v1/chat/completions', after: 6 };
  const limit = { name: 'rate-limit', on: 'POST /v1/assistants' };
  const [limited, half] = await collectReactions(reference.url, JSON.stringify([limit, cut]), runNaiveClient);
  expect(limited).toMatchObject({
    disturbance: 'rate-limit',
    retries: 1,
    honoured: false,
    // A rejected creation was not carried out, so repeating it makes only one object.
    createdTwice: [],
  });
  expect(half).toMatchObject({ disturbance: 'cut-stream', retries: 0, wentOn: true, usedHalf: true });
});

test('a client is found to create an object twice', async () => {
  const reset = JSON.stringify([{ name: 'reset', on: 'POST /v1/assistants' }]);
  const [lost] = await collectReactions(reference.url, reset, runNaiveClient);
  expect(lost?.createdTwice).toHaveLength(2);
});

test('a disturbance that no request matches is reported as unused', async () => {
  const reactions = await collectReactions(reference.url, 'cut-stream', (url) => fetch(`${url}/models`));
  expect(reactions).toMatchObject([{ disturbance: 'cut-stream', request: null, retries: 0 }]);
});

test('a request to a service that is gone gets 502 with the reason', async () => {
  const { url, close } = await startUpstream(() => {});
  await close();
  const disturber = await startDisturber({ upstream: url, disturbances: [] });
  try {
    const answer = await fetch(`${disturber.url}/models`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      error: { code: 'upstream_unreachable', message: expect.stringContaining('ECONNREFUSED') },
    });
  } finally {
    await disturber.close();
  }
});

test('disturbance marks that a service sends itself are not passed on', async () => {
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
