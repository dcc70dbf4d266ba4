import { expect, onTestFinished, test } from 'vitest';
import { families } from '../../schemas/index.ts';
import { isolateRuns, listenForTest, testConfiguration } from '../testing/runs.ts';
import { findUnoffered, offersNothing } from './offers.ts';
import { PreflightClient } from './preflight-client.ts';

isolateRuns();

function createClient(baseUrl: string): PreflightClient {
  const client = new PreflightClient(testConfiguration(baseUrl));
  onTestFinished(() => client.close());
  return client;
}

// Some frameworks send the same 404 for everything.
const listenWithNotFound = () =>
  listenForTest((request, response) => {
    request.resume();
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"detail":"Not Found"}');
  });

test('a 404 may be about the id in a path, so a family whose paths all need one counts as offered', async () => {
  const { url } = await listenWithNotFound();
  expect(await offersNothing(['threads', 'messages'], createClient(url))).toBe(false);
  expect(await offersNothing(['models', 'messages'], createClient(url))).toBe(false);
  expect(await offersNothing(['models', 'chat', 'threads'], createClient(url))).toBe(true);
});

test('a family whose paths all need an id does not count as offered if the whole API is claimed', async () => {
  const { url } = await listenWithNotFound();
  expect(await offersNothing(families(), createClient(url))).toBe(false);
  expect(await offersNothing(families(), createClient(url), true)).toBe(true);
});

test('claimed families and operations that respond like an unknown path are not offered', async () => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isKnown = request.url === '/v1/chat/completions';
    response.writeHead(isKnown ? 400 : 404, { 'content-type': 'application/json' });
    response.end(isKnown ? '{}' : '{"detail":"Not Found"}');
  });
  const names = ['chat', 'images', 'createBatch', 'completions', 'files', 'retrieveModel'];
  // An unknown model gets 404 even if the path exists.
  expect(await findUnoffered(names, createClient(url))).toEqual([
    'images',
    'createBatch',
    'completions',
    'files',
  ]);
});

test.for(['Cannot POST /v1/images', 'The route v1/images could not be found.', 'No route "\\/v1\\/images"'])(
  'a path is unknown if it gets the 404 of an unknown path, in which only the path differs: %s',
  async (text) => {
    const { url } = await listenForTest((request, response) => {
      request.resume();
      const path = request.url?.replace('/v1/', '') ?? '';
      response.writeHead(404, { 'content-type': 'application/json' }).end(text.replace('images', path));
    });
    expect(await findUnoffered(['images', 'files'], createClient(url))).toEqual(['images', 'files']);
  },
);
