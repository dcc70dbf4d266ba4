import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { decodings, ENCODINGS } from '../exchange/testing/encodings.ts';
import { type InProcessServer, runAssay, serveInProcess } from './testing/run-assay.ts';

/** One canary per place, so that a leak shows where it came from. */
const canary = (place: string) => `sk-${place}-0a9Z+8b7Y/6c5X`;
const CANARIES = [
  'bearer',
  'cookie',
  'set',
  'subscription',
  'basic',
  'query',
  'location',
  'code',
  'field',
  'form',
  'part',
  'environment',
].map(canary);
/** Signatures of URLs, which recorders recognise only by their place. */
const signature = (place: string) => `${place}-0a9Z8b7Y6c5X4d3W2e1V`;
const SIGNATURES = ['azure', 'amz', 'session', 'goog', 'front', 'token', 'page', 'delta', 'prompt'].map(
  signature,
);
const SIGNED = {
  image: `https://a.blob.example/1.png?se=2026-01-01T00%3A00%3A00Z&sig=${signature('azure')}&sp=r`,
  object: `https://s3.example/x?X-Amz-Security-Token=${signature('session')}&X-Amz-Signature=${signature('amz')}`,
  escaped: `https://storage.example/x?a=b&X-Goog-Signature=${signature('goog')}`,
  front: `https://cdn.example/x?Expires=1&Signature=${signature('front')}`,
  token: `https://files.example/x?token=${signature('token')}`,
  page: `<img src="https://a.blob.example/1.png?se=2026&amp;sig=${signature('page')}">`,
  delta: `See https://a.blob.example/1.png?se=2026&sig=${signature('delta')} there.`,
};
const HIDDEN = [...CANARIES, ...SIGNATURES];

let folder: string;
let temporary: string;
let service: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-canary-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: a server that listens on a port has such an address
  service = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});

afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  for await (const _ of req);
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://x');
  const shape = pathname.split('/').at(-1);
  const encode = ENCODINGS[searchParams.get('in') ?? 'plain'] ?? ((text: string) => text);
  const all = CANARIES.map((one) => `"${encode(one)}"`).join(' ');
  res.statusMessage = `No ${canary('bearer')}`;
  res.setHeader('Set-Cookie', `session=${canary('set')}; Path=/`);
  res.setHeader(
    'Location',
    `https://ann:${encodeURIComponent(canary('location'))}@files.example/x?code=${encodeURIComponent(canary('code'))}`,
  );
  if (shape === 'generations') {
    res.writeHead(200, { 'content-type': 'application/json' });
    const { image, ...others } = SIGNED;
    const body = JSON.stringify({ created: 1_700_000_000, data: [{ url: image }], others });
    const { escaped } = SIGNED;
    res.end(body.replace(escaped, escaped.replaceAll('/', '\\/').replaceAll('&', '\\u0026')));
  } else if (shape === 'stream') {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const delta of SIGNED.delta) res.write(`data: ${JSON.stringify({ delta })}\n\n`);
    res.write(`data: ${JSON.stringify(SIGNED)}\n\n`);
    for (const one of CANARIES) {
      res.write(`data: ${one.slice(0, 9)}\ndata: ${one.slice(9)}\n\n`);
      for (const letter of one)
        res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: letter }] })}\n\n`);
    }
    res.end('data: [DONE]\n\n');
  } else if (shape === 'gzip') {
    res.writeHead(200, { 'content-type': 'application/octet-stream' });
    res.end(gzipSync(Buffer.from(all, 'latin1')));
  } else {
    res.writeHead(shape === 'error' ? 400 : 200, { 'content-type': 'application/octet-stream' });
    res.end(Buffer.from(all, 'latin1'));
  }
}

async function sendTraffic(url: string): Promise<void> {
  const basic = Buffer.from(`ann:${canary('basic')}`).toString('base64');
  const bearer = { authorization: `Bearer ${canary('bearer')}` };
  const form = new FormData();
  form.append('client_secret', canary('part'));
  form.append('image_url', SIGNED.image);
  const query = `subscription-key=${encodeURIComponent(canary('query'))}`;
  const requests: [string, RequestInit][] = [
    ['/early', { headers: { cookie: `a=b; session=${canary('cookie')}` } }],
    [`/early?${query}`, { headers: { 'ocp-apim-subscription-key': canary('subscription') } }],
    ['/early', { headers: { authorization: `Basic ${basic}` } }],
    ['/early', { method: 'POST', body: JSON.stringify({ password: canary('field') }), headers: bearer }],
    [
      '/early',
      { method: 'POST', body: new URLSearchParams({ client_secret: canary('form') }), headers: bearer },
    ],
    ['/early', { method: 'POST', body: form, headers: bearer }],
    ...Object.keys(ENCODINGS).map((name): [string, RequestInit] => [
      `/all?in=${encodeURIComponent(name)}`,
      { headers: bearer },
    ]),
    ...['stream', 'gzip', 'error'].map((shape): [string, RequestInit] => [`/${shape}`, { headers: bearer }]),
  ];
  const imageRequest = JSON.stringify({
    prompt: `like https://a.blob.example/1.png?sig=${signature('prompt')}`,
    n: 1,
  });
  const json = { 'content-type': 'application/json', ...bearer };
  requests.push(['/images/generations', { method: 'POST', body: imageRequest, headers: json }]);
  for (const [path, init] of requests) await (await fetch(`${url}${path}`, init)).arrayBuffer();
}

const environment = () => ({
  TMPDIR: temporary,
  SERVICE_TOKEN: canary('environment'),
  KEY: canary('bearer'),
});

function findCanaries(text: Uint8Array, canaries: readonly string[] = HIDDEN): string[] {
  const texts = decodings(text).map((one) => one.toLowerCase());
  return canaries.filter((one) => texts.some((decoded) => decoded.includes(one.toLowerCase())));
}

function expectNone(where: string, bytes: Uint8Array | string, canaries = HIDDEN): void {
  expect(findCanaries(Buffer.from(bytes), canaries), where).toEqual([]);
}

function expectCleanFolder(dir: string, canaries = HIDDEN): void {
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const file = join(dir, name);
    if (statSync(file).isFile()) expectNone(file, readFileSync(file), canaries);
  }
}

/** Also searches the decoded bodies, because files contain them in further encodings. */
async function expectCleanCassette(dir: string): Promise<void> {
  expectCleanFolder(dir);
  const { items } = await readTrace(dir);
  let bodyCount = 0;
  for (const item of items) {
    if (!('request' in item)) continue;
    const { request, response } = item;
    for (const bytes of [request.body.bytes, response?.body.bytes ?? null]) {
      if (bytes === null || bytes.length === 0) continue;
      bodyCount += 1;
      expectNone(`${dir}: ${request.target}`, bytes);
      if (bytes[0] === 0x1f) expectNone(`${dir}: unpacked`, gunzipSync(bytes));
    }
  }
  expect(bodyCount).toBeGreaterThan(30);
}

function expectNoCanaryPrinted(name: string, { stdout, stderr }: InProcessServer['printed']): void {
  expectNone(`${name}: stdout`, stdout);
  expectNone(`${name}: stderr`, stderr);
}

test('the service sends every canary in every encoding, or the tests below would find nothing', async () => {
  for (const name of Object.keys(ENCODINGS)) {
    const body = await (await fetch(`${service}/all?in=${encodeURIComponent(name)}`)).arrayBuffer();
    expect(findCanaries(Buffer.from(body)).length, name).toBe(CANARIES.length);
  }
});

describe('recorded traffic', () => {
  let cassette = '';
  let recorderOutput: InProcessServer['printed'];
  beforeAll(async () => {
    cassette = join(folder, 'recorded');
    const recorder = await serveInProcess(['record', '--base-url', service, '--cassette', cassette], {
      env: environment(),
    });
    await sendTraffic(recorder.url);
    await recorder.stop('SIGTERM');
    recorderOutput = recorder.printed;
  });

  test('no canary reaches the cassette or the output of the recorder', async () => {
    expectNoCanaryPrinted('record', recorderOutput);
    await expectCleanCassette(cassette);
  });

  test('no canary reaches the output or the files of a command that reads the cassette', async () => {
    const env = environment();
    expectNoCanaryPrinted('scan', await runAssay(['scan', cassette], { env }));
    const reports = join(folder, 'checked');
    expectNoCanaryPrinted('check', await runAssay(['check', cassette, '--report-dir', reports], { env }));
    expectCleanFolder(reports);
    expectNoCanaryPrinted('show', await runAssay(['show', cassette], { env }));
    const har = join(folder, 'recorded.har');
    expectNoCanaryPrinted('har', await runAssay(['har', cassette, '--out', har], { env }));
    expectNone('har', readFileSync(har));
    expectCleanFolder(temporary);
  });

  describe('in a replay', () => {
    let replayer: InProcessServer;
    beforeAll(async () => {
      replayer = await serveInProcess(['replay', cassette], { env: environment() });
    });
    afterAll(() => replayer.stop('SIGTERM'));

    test('no canary is in the response to a request that was not recorded', async () => {
      const missed = await fetch(`${replayer.url}/missing?api_key=${canary('query')}`, {
        method: 'POST',
        body: JSON.stringify({ password: canary('field'), a: canary('bearer') }),
        headers: { authorization: `Bearer ${canary('bearer')}` },
      });
      expect(missed.status).toBe(501);
      expectNone('replay: a miss', await missed.text());
    });

    test('signed URLs in a response keep their form, with masked signatures', async () => {
      const prompt = `like https://a.blob.example/1.png?sig=${signature('prompt')}`;
      const drawn = await fetch(`${replayer.url}/images/generations`, {
        method: 'POST',
        body: JSON.stringify({ prompt, n: 1 }),
        headers: { authorization: `Bearer ${canary('bearer')}`, 'content-type': 'application/json' },
      });
      const mask = `redacted_${'x'.repeat(signature('azure').length - 'redacted_'.length)}`;
      expect(await drawn.json()).toMatchObject({
        data: [{ url: SIGNED.image.replace(signature('azure'), mask) }],
        others: {
          escaped: expect.stringMatching(/^https:\/\/storage\.example\/x\?a=b&X-Goog-Signature=redacted_x+$/),
        },
      });
    });
  });
});

test('no canary of watched traffic reaches the output, the cassette or the report', async () => {
  const reports = join(folder, 'watched');
  const flags = ['--base-url', service, '--report-dir', reports];
  const watch = await serveInProcess(['watch', ...flags], { env: environment() });
  await sendTraffic(watch.url);
  await watch.stop('SIGINT');
  expectNoCanaryPrinted('watch', watch.printed);
  await expectCleanCassette(join(reports, 'cassette'));
  expectCleanFolder(reports);
  expectCleanFolder(temporary);
});

test('no canary reaches the report of a run against a service that sends its key everywhere', async () => {
  const reports = join(folder, 'run');
  const flags = ['--base-url', service, '--report-dir', reports, '--claim', 'models', '--api-key-env', 'KEY'];
  const { stdout, stderr } = await runAssay(['run', ...flags], { env: environment() });
  // This client never sends the other canaries, so they look like ordinary text of responses.
  const known = ['bearer', 'environment', 'set', 'location', 'code'].map(canary);
  expectNone('run', stdout + stderr, known);
  expect(readdirSync(reports)).toContain('report.json');
  expectCleanFolder(reports, known);
  expectCleanFolder(temporary);
});
