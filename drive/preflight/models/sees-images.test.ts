import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { modelRoles } from '../../../reference/model/catalogue.ts';
import { startReference } from '../../../reference/service.ts';
import { configureForTarget } from '../../configuration/configuration.ts';
import { readSettings } from '../../configuration/settings.ts';
import { PreflightClient } from '../preflight-client.ts';
import { seesImages } from './sees-images.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function clientOf(baseUrl: string): PreflightClient {
  const settings = readSettings({ flags: { baseUrl }, env: {}, file: null, readText: () => '' });
  const preflight = new PreflightClient(configureForTarget(settings, null));
  closers.push(() => preflight.close());
  return preflight;
}

test('a model that counts an image as input looks at it', async () => {
  const reference = await startReference();
  closers.push(() => reference.close());
  expect(await seesImages(modelRoles.vision, clientOf(reference.url))).toBe(true);
});

test('a model that counts the same with an image as without is not believed, unless its name says so', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has one
  const preflight = clientOf(`http://127.0.0.1:${port}`);
  expect(await seesImages('tiny-1', preflight)).toBe(false);
  expect(await seesImages('llava-1.6', preflight)).toBe(true);
});
