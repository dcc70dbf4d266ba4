// Servers whose answer to a deletion does not show whether the object is gone.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cleanUp } from './cleanup.ts';
import { ResourceLedger, readLedger } from './resource-ledger.ts';

let folder = '';
let close: () => Promise<unknown> = async () => {};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-presence-'));
});

afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

type Answer = readonly [status: number, body: unknown, type?: string];

function send(response: ServerResponse, [status, body, type = 'application/json']: Answer): void {
  response
    .writeHead(status, { 'content-type': type })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Cleans up one assistant on a server that answers by "METHOD path"; without a row, with the last one. */
async function cleanUpOn(
  answers: Readonly<Record<string, Answer>>,
  otherwise: Answer,
  operation = 'createAssistant',
) {
  const listener: RequestListener = (request, response) => {
    const [path] = (request.url ?? '').split('?');
    request.resume();
    send(response, answers[`${request.method} ${path}`] ?? otherwise);
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // as: a TCP server that listens has one
  const file = join(folder, 'ledger.jsonl');
  const ledger = ResourceLedger.create(file, { ledger: 1, baseUrl, betaHeader: 'Vendor-Beta', tag: 't' });
  ledger.made(ledger.intent('a', operation, 't1'), 'x_1');
  ledger.close();
  const { leftovers } = await cleanUp(file, { apiKey: null });
  return {
    remainders: leftovers.map(({ remainder, final }) => ({ why: remainder.why, final })),
    states: readLedger(file).entries.map(({ state }) => state),
  };
}

const unknownRoute: Answer = [404, { detail: 'Not Found' }];
const noSuchObject: Answer = [404, { error: { message: 'No assistant found', code: null } }];
const left = (why: string) => ({ remainders: [{ why, final: false }], states: ['left'] });
const gone = { remainders: [], states: ['gone'] };
const one = '/v1/assistants/x_1';
const list = (...ids: readonly string[]): Answer => [
  200,
  { object: 'list', data: ids.map((id) => ({ id })), has_more: false },
];

test.for<[says: string, answers: Readonly<Record<string, Answer>>, expected: unknown]>([
  [
    'a DELETE route that is missing, and the object is returned',
    { [`GET ${one}`]: [200, { id: 'x_1' }] },
    left('still-there'),
  ],
  [
    'a DELETE route that is missing, and the list has the object',
    { 'GET /v1/assistants': list('y', 'x_1') },
    left('still-there'),
  ],
  ['a DELETE route that is missing, and the list has others', { 'GET /v1/assistants': list('y') }, gone],
  ['no route but the one that creates', {}, left('unconfirmed')],
  ['an object that is gone already', { [`DELETE ${one}`]: noSuchObject, [`GET ${one}`]: noSuchObject }, gone],
  [
    '405 while the object is returned',
    { [`DELETE ${one}`]: [405, {}], [`GET ${one}`]: [200, { id: 'x_1' }] },
    left('not-deleted'),
  ],
  [
    '200 with HTML while the object is returned',
    { [`DELETE ${one}`]: [200, '<p>ok</p>', 'text/html'], [`GET ${one}`]: [200, { id: 'x_1' }] },
    left('still-there'),
  ],
  [
    '200 with HTML for all',
    { [`DELETE ${one}`]: [200, '<p>ok</p>', 'text/html'], [`GET ${one}`]: [200, '<p>ok</p>', 'text/html'] },
    left('unconfirmed'),
  ],
  [
    '200 with deleted: false',
    { [`DELETE ${one}`]: [200, { deleted: false }], [`GET ${one}`]: [200, { id: 'x_1' }] },
    left('still-there'),
  ],
  [
    '200 with another body, and the object is not found',
    { [`DELETE ${one}`]: [200, {}], [`GET ${one}`]: noSuchObject },
    gone,
  ],
  ['200 with deleted: true', { [`DELETE ${one}`]: [200, { deleted: true }] }, gone],
])('%s', async ([, answers, expected]) => {
  expect(await cleanUpOn(answers, unknownRoute)).toEqual(expected);
});

test('an endless list shows nothing about what it has not reached', async () => {
  const page: Answer = [200, { object: 'list', data: [{ id: 'y' }], has_more: true }];
  expect(await cleanUpOn({ 'GET /v1/assistants': page }, unknownRoute)).toEqual(left('unconfirmed'));
});

test('a server without a list of threads: what its 404 says about the object counts', async () => {
  const thread = '/v1/threads/x_1';
  const answers = { [`DELETE ${thread}`]: noSuchObject, [`GET ${thread}`]: noSuchObject };
  expect(await cleanUpOn(answers, unknownRoute, 'createThread')).toEqual(gone);
  await close();
  expect(await cleanUpOn({}, unknownRoute, 'createThread')).toEqual(left('unconfirmed'));
});
