import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { serveReference } from '../../reference/service.ts';
import { families } from '../../schemas/index.ts';
import { configureForTarget, type RunConfiguration } from '../configuration/configuration.ts';
import { readSettings } from '../configuration/settings.ts';
import { configureModels } from './models.ts';
import { PreflightClient } from './preflight-client.ts';
import { discoverScenarios, suitesFolder } from './scenario-selection.ts';

const closers: (() => Promise<unknown>)[] = [];
const scenarios = await discoverScenarios(suitesFolder);

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function configure(baseUrl: string, flags: Readonly<Record<string, unknown>> = {}) {
  const settings = readSettings({ flags: { baseUrl, ...flags }, env: {}, file: null, readText: () => '' });
  const configuration: RunConfiguration = configureForTarget(settings, null);
  const preflight = new PreflightClient(configuration);
  closers.push(() => preflight.close());
  await preflight.findUnreachableReason();
  return configureModels(configuration, scenarios, families(), preflight);
}

async function startService(
  listed: readonly string[],
  answer: (path: string, model: string, body: string) => readonly [status: number, body: unknown],
): Promise<{ readonly url: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const text = Buffer.concat(chunks).toString();
      const model = /"model":"([^"]*)"/.exec(text)?.[1] ?? '';
      const list = [200, { object: 'list', data: listed.map((id) => ({ id, object: 'model' })) }] as const;
      const [status, body] = path === '/v1/models' ? list : answer(path, model, text);
      if (path !== '/v1/models') requests.push(`${path} ${model}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has one
  return { url: `http://127.0.0.1:${port}`, requests };
}

const unknownModel = [
  404,
  { error: { message: 'The model does not exist', param: 'model', code: null } },
] as const;

test('on the reference, every role gets a model that serves it, and no job is created', async () => {
  const reference = await serveReference();
  closers.push(() => reference.close());
  const allow = ['images', 'audio', 'training', 'batches', 'bulk'];
  const { configuration, hints } = await configure(reference.url, { allow });
  expect(configuration.models).toEqual(modelRoles);
  expect(hints).toMatchObject([{ kind: 'models-found', without: [] }]);
  const jobs = await (await fetch(`${reference.url}/fine_tuning/jobs`)).json();
  expect(jobs).toMatchObject({ data: [] });
});

test('without --allow, no request is sent that costs more than tokens', async () => {
  const { url, requests } = await startService(['m', 'dall-e-2', 'whisper-1'], () => [200, {}]);
  const { configuration } = await configure(url);
  expect(configuration.models).toMatchObject({ chat: 'm', assistant: 'm' });
  expect(requests.filter((request) => !/chat|completions|moderations/.test(request))).toEqual([]);
});

test('at most three models are tried for a role, and an unlikely one is left out', async () => {
  const { url, requests } = await startService(['embed-1', 'a', 'b', 'c', 'd'], () => unknownModel);
  const { configuration, hints } = await configure(url);
  expect(configuration.models).not.toHaveProperty('chat');
  // Two roles, `completion` and `suffix-completion`, are tried with this operation.
  expect(requests.filter((request) => request.startsWith('/v1/completions'))).toHaveLength(6);
  const texts = requests.filter((request) => request.includes('completions'));
  expect(new Set(texts.map((request) => request.split(' ')[1]))).toEqual(new Set(['a', 'b', 'c']));
  expect(hints).toMatchObject([
    { kind: 'models-found', without: expect.arrayContaining([{ role: 'chat', refused: ['a', 'b', 'c'] }]) },
  ]);
});

test('trials rather than names decide which roles a model gets, except for the two image models, which have their own rules', async () => {
  const served = ['/v1/audio/speech', '/v1/images/generations', '/v1/chat/completions'];
  const { url } = await startService(['whisperer'], (path) =>
    served.includes(path) ? [200, {}] : unknownModel,
  );
  const { configuration } = await configure(url, { allow: ['audio', 'images'] });
  expect(configuration.models).toMatchObject({ speech: 'whisperer', chat: 'whisperer' });
  for (const role of ['image-v2', 'image-v3', 'transcription'])
    expect(configuration.models).not.toHaveProperty(role);
});

test('if requests fail for a reason other than the model, the first model is used, except for vision', async () => {
  const { url } = await startService(['a', 'b'], () => [500, { error: { message: 'out of order' } }]);
  const { configuration } = await configure(url);
  expect(configuration.models).toMatchObject({ chat: 'a', completion: 'a', assistant: 'a' });
  expect(configuration.models).not.toHaveProperty('vision');
});

test('a role that is turned off gets no model', async () => {
  const { url } = await startService(['a'], () => [200, {}]);
  const off = await configure(url, { model: ['vision=none', 'completion=none'] });
  expect(Object.keys(off.configuration.models)).not.toContain('vision');
  expect(Object.keys(off.configuration.models)).not.toContain('completion');
  expect(off.configuration.models).toMatchObject({ chat: 'a' });
});

test('a model given for one role ends the search for the others', async () => {
  const { url } = await startService(['a'], () => [200, {}]);
  const given = await configure(url, { model: ['chat=a'] });
  expect(given.configuration.models).not.toHaveProperty('completion');
});

test('a name without a role is the model of each role that it can serve', async () => {
  const { url } = await startService(['a', 'b'], (path, model, body) =>
    path === '/v1/chat/completions' && model === 'b' && !body.includes('image_url')
      ? [200, {}]
      : unknownModel,
  );
  const { configuration, hints } = await configure(url, { model: ['b'] });
  expect(configuration.models).toMatchObject({ chat: 'b', assistant: 'b' });
  for (const role of ['vision', 'completion']) expect(configuration.models).not.toHaveProperty(role);
  expect(hints).toMatchObject([
    { kind: 'models-found', models: [{ role: 'chat', id: 'b' }, { role: 'assistant' }] },
  ]);
});

test.for([
  ['a', 5, 5, undefined],
  ['a', 5, 90, 'a'],
  ['a-vision', 5, 5, 'a-vision'],
  ['a-vllm', 5, 5, undefined],
] as const)(
  'if the model %s counts %i tokens, and %i with an image, the vision model is %s, without a further request',
  async ([id, fewer, more, vision]) => {
    const { url, requests } = await startService([id], (_, __, body) => {
      const prompt_tokens = body.includes('image_url') ? more : fewer;
      return [200, { usage: { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1 } }];
    });
    const { configuration, hints } = await configure(url, { model: ['completion=none'] });
    expect(configuration.models.chat).toBe(id);
    expect(configuration.models.vision).toBe(vision);
    expect(requests.filter((request) => request.startsWith('/v1/chat'))).toHaveLength(2);
    const without = hints.flatMap((hint) => (hint.kind === 'models-found' ? hint.without : []));
    const blind = [{ role: 'vision', refused: [], blind: [id] }];
    expect(without.filter(({ role }) => role === 'vision')).toEqual(vision === undefined ? blind : []);
  },
);

test('a given model for vision need not show that it looks at images', async () => {
  const { url } = await startService(['a'], () => [200, {}]);
  const { configuration } = await configure(url, { model: ['vision=a', 'chat=a'] });
  expect(configuration.models.vision).toBe('a');
});

test('a given model that the target refuses is an error with the nearest names', async () => {
  const { url } = await startService(['my-model', 'other'], (path) =>
    path.startsWith('/v1/models/') ? [404, {}] : unknownModel,
  );
  await expect(configure(url, { model: ['chat=my-modle'] })).rejects.toThrow(
    /--model chat=my-modle: the target answers 404 .* nearest: my-model, other/,
  );
});

test('a model given for all roles that the target does not know is named as it was given', async () => {
  const { url } = await startService(['other'], () => unknownModel);
  await expect(configure(url, { model: ['my-modle'] })).rejects.toThrow(
    /^--model my-modle: the target answers 404 .* nearest: other\./,
  );
});

test('a model that the target lists more than once is tried once', async () => {
  const { url, requests } = await startService(['a', 'a', 'b'], () => unknownModel);
  const { hints } = await configure(url, { model: ['vision=none', 'suffix-completion=none'] });
  expect(requests.filter((request) => request.startsWith('/v1/completions'))).toEqual([
    '/v1/completions a',
    '/v1/completions b',
  ]);
  expect(hints).toMatchObject([{ kind: 'models-found', total: 2 }]);
});

test('a given model that the target accepts but does not list is only a hint', async () => {
  const { url } = await startService(['my-model-0613'], (path) =>
    path.startsWith('/v1/models/') ? [404, {}] : [200, {}],
  );
  const { configuration, hints } = await configure(url, { model: ['chat=my-model'] });
  expect(configuration.models).toMatchObject({ chat: 'my-model' });
  expect(hints).toMatchObject([{ kind: 'models-not-listed' }]);
});

test('no model is tried on a target that lists none', async () => {
  const { url, requests } = await startService([], () => [200, {}]);
  const { hints } = await configure(url);
  expect(requests).toEqual([]);
  expect(hints).toMatchObject([{ kind: 'models-found', models: [], total: 0 }]);
});
