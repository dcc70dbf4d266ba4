import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { serveReference } from '../../reference/service.ts';
import { configureForTarget } from '../configuration/configuration.ts';
import { readSettings } from '../configuration/settings.ts';
import { seesImages } from './model-search.ts';
import { PreflightClient } from './preflight-client.ts';
import { ROLE_SEARCHES } from './role-searches.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function createClient(baseUrl: string): PreflightClient {
  const settings = readSettings({ flags: { baseUrl }, env: {}, file: null, readText: () => '' });
  const preflight = new PreflightClient(configureForTarget(settings, null));
  closers.push(() => preflight.close());
  return preflight;
}

async function sees(id: string, preflight: PreflightClient): Promise<boolean> {
  const { vision, chat } = ROLE_SEARCHES;
  const withImage = await preflight.ask(vision.operation, vision.input(id));
  return seesImages(id, withImage, () => preflight.ask(chat.operation, chat.input(id)));
}

test('a model that counts an image as input can read it', async () => {
  const reference = await serveReference();
  closers.push(() => reference.close());
  expect(await sees(modelRoles.vision, createClient(reference.url))).toBe(true);
});

test('a model that counts the same tokens with and without an image cannot read it, unless its name says so', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo; // as: a listening TCP server has a port
  const preflight = createClient(`http://127.0.0.1:${port}`);
  expect(await sees('tiny-1', preflight)).toBe(false);
  expect(await sees('llava-1.6', preflight)).toBe(true);
});
