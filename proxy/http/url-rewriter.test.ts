import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type RecordOptions, startRecorder } from '../record/record.ts';
import { startReplayer } from '../replay/replay.ts';
import { sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { startUpstream, type TestUpstream } from '../testing/upstream.ts';
import { UrlRewriter } from './url-rewriter.ts';

const fixture = createRecordFixture();
let imageHost: TestUpstream | null = null;
afterEach(async () => {
  await imageHost?.close();
  imageHost = null;
});

const fetchText = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { headers })).text();

const SERVICE_CREDENTIALS = {
  authorization: 'Bearer for-the-service',
  'api-key': 'k',
  'x-auth-token': 'k',
  'x-goog-api-key': 'k',
  'ocp-apim-subscription-key': 'k',
  'proxy-authorization': 'Basic k',
  'x-vendor-secret': 'k',
  'x-goog-iap-jwt-assertion': 'k',
  'x-vendor': 'Bearer for-the-service',
  cookie: 'a=b',
};

const rewriter = new UrlRewriter({
  proxyOrigin: () => 'http://127.0.0.1:1',
  serviceOrigin: null,
  allows: () => true,
});

interface Answer {
  readonly data: readonly { readonly url: string; readonly say: string }[];
}

const fetchImages = async (url: string) => (await (await fetch(url)).json()) as Answer; // as: the test's service returns it

/** Starts a recorder for a service whose response names a URL of `elsewhere` and one of its own. */
function recordService(elsewhere: string, options: Partial<RecordOptions> = {}) {
  return fixture.start(
    (req, res) => {
      if (req.url !== '/v1/images') return res.end(`own ${req.url}`);
      const own = `http://${req.headers.host}/files/b.png`;
      const data = [`${elsewhere}/a.png?x=1`, own].map((href) => ({ url: href, say: `see ${href}` }));
      return res
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify({ data })));
    },
    { rewriteUrls: true, ...options },
  );
}

test('another host gets no credentials of the service', async () => {
  const receivedNames: string[] = [];
  imageHost = await startUpstream((req, res) => {
    receivedNames.push(...Object.keys(req.headers));
    res.end('image');
  });
  const { url } = await recordService(new URL(imageHost.url).origin);
  const { data } = await fetchImages(`${url}/images`);
  expect(await fetchText(data[0]?.url ?? '', SERVICE_CREDENTIALS)).toBe('image');
  expect(receivedNames.filter((name) => Object.hasOwn(SERVICE_CREDENTIALS, name))).toEqual([]);
});

test('URLs of other hosts and of the service are recorded and replayed through the proxy', async () => {
  imageHost = await startUpstream((req, res) => res.end(`image ${req.url}`));
  const elsewhere = new URL(imageHost.url).origin;
  const { url } = await recordService(elsewhere);
  const live = await fetchImages(`${url}/images`);
  const { origin, port } = new URL(url);
  const host = new URL(elsewhere).host;
  expect(live.data.map((image) => image.url)).toEqual([
    `${origin}/assay-url/http/${host}/a.png?x=1`,
    `${origin}/files/b.png`,
  ]);
  expect(live.data[0]?.say).toBe(`see ${elsewhere}/a.png?x=1`);
  const texts = await Promise.all(live.data.map((image) => fetchText(image.url, SERVICE_CREDENTIALS)));
  expect(texts).toEqual(['image /a.png?x=1', 'own /files/b.png']);

  const [first] = await fixture.readExchanges();
  expect(first?.response?.body.bytes?.[0]).toBe(0x1f);
  await imageHost.close();
  await fixture.stopService();
  const replayer = await startReplayer({ cassettes: [fixture.cassette()], rewriteUrls: true, strict: true });
  const { data } = await fetchImages(`${replayer.url}/images`);
  const replayed = data.map((image) => image.url);
  expect(replayed.map((href) => href.replace(new URL(replayer.url).port, port))).toEqual(
    live.data.map((image) => image.url),
  );
  const [image, own] = replayed;
  expect(await fetchText(image ?? '')).toBe('image /a.png?x=1');
  expect(await fetchText(own ?? '', { authorization: 'Bearer for-the-service' })).toBe('own /files/b.png');
  expect((await replayer.close()).failed).toBe(false);
});

test('URLs in responses that mode new replays are rewritten too', async () => {
  imageHost = await startUpstream((_req, res) => res.end('image'));
  const { url } = await recordService(new URL(imageHost.url).origin);
  await fetchImages(`${url}/images`);
  await fixture.stopRecorder();
  const baseUrl = `http://${fixture.serviceHost()}/v1`;
  const recorder = await startRecorder({
    baseUrl,
    cassette: fixture.cassette(),
    mode: 'new',
    rewriteUrls: true,
  });
  const { data } = await fetchImages(`${recorder.url}/images`);
  expect(data.map((image) => new URL(image.url).origin)).toEqual(Array(2).fill(new URL(recorder.url).origin));
  expect(await fetchText(data[0]?.url ?? '')).toBe('image');
  expect(await recorder.close()).toMatchObject({ replayed: 1, recorded: 1 });
});

test('a request to another host matches its recording in mode new, whatever beta field the proxy adds', async () => {
  imageHost = await startUpstream((_req, res) => res.end('image'));
  const elsewhere = new URL(imageHost.url).origin;
  const headers = [['OpenAI-Beta', 'assistants=v2']] as const;
  const { url } = await recordService(elsewhere, { headers });
  const { data } = await fetchImages(`${url}/images`);
  expect(await fetchText(data[0]?.url ?? '')).toBe('image');
  await fixture.stopRecorder();
  const baseUrl = `http://${fixture.serviceHost()}/v1`;
  const options = { baseUrl, headers, cassette: fixture.cassette(), mode: 'new', rewriteUrls: true } as const;
  const recorder = await startRecorder(options);
  const again = await fetchImages(`${recorder.url}/images`);
  expect(await fetchText(again.data[0]?.url ?? '')).toBe('image');
  expect(await recorder.close()).toMatchObject({ replayed: 2, recorded: 0 });
});

test('responses of other hosts are passed on unchanged, live and in mode new', async () => {
  const listing = '["http://next.example/a"]';
  imageHost = await startUpstream((_req, res) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end(listing),
  );
  const { url } = await recordService(new URL(imageHost.url).origin);
  const { data } = await fetchImages(`${url}/images`);
  expect(await fetchText(data[0]?.url ?? '')).toBe(listing);
  await fixture.stopRecorder();
  const baseUrl = `http://${fixture.serviceHost()}/v1`;
  const options = { baseUrl, cassette: fixture.cassette(), mode: 'new', rewriteUrls: true } as const;
  const recorder = await startRecorder(options);
  const again = await fetchImages(`${recorder.url}/images`);
  expect(await fetchText(again.data[0]?.url ?? '')).toBe(listing);
  expect(await recorder.close()).toMatchObject({ replayed: 2, recorded: 0 });
});

test('a response that was cut short is incomplete in the replay too', async () => {
  const { url } = await fixture.start(
    (req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      res.write(`["http://${req.headers.host}/a.png",`, () => res.socket?.resetAndDestroy());
    },
    { rewriteUrls: true },
  );
  const request = 'GET /v1/images HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const recorded = await sendRaw(url, request);
  await fixture.stopRecorder();
  const replayer = await startReplayer({ cassettes: [fixture.cassette()], rewriteUrls: true });
  const replayed = await sendRaw(replayer.url, request);
  await replayer.close();
  for (const { text } of [recorded, replayed]) {
    expect(text).toMatch(/^content-length: 100\r$/m);
    expect(text.split('\r\n\r\n')[1]).toBe(`["http://${fixture.serviceHost()}/a.png",`);
  }
});

test('only hosts that a response named are called', async () => {
  imageHost = await startUpstream(() => {
    throw new Error('it was called');
  });
  const { url } = await fixture.start((_req, res) => res.end('{}'), { rewriteUrls: true });
  const { host } = new URL(imageHost.url);
  const answer = await sendRaw(
    url,
    `GET /assay-url/http/${host}/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  expect(answer.text).toMatch(/^HTTP\/1\.1 403 /);
});

test.for(['a', '\\/', '%20'])('a URL of many megabytes is rewritten, whatever it consists of: %j', (unit) => {
  const long = `http://images.example/${unit.repeat(16_000_000 / unit.length)}`;
  const body = `{"a":"${long}", "http://key.example": 1, "b":"http://images.example/x"}`;
  const rewritten = rewriter.rewrite([['content-type', 'application/json']], Buffer.from(body));
  const read = JSON.parse(rewritten.body.toString()) as Record<string, string>; // as: the test wrote this body
  expect(read['a']?.slice(0, 60)).toMatch(/^http:\/\/127\.0\.0\.1:1\/assay-url\/http\/images\.example\//);
  expect(Object.keys(read)).toEqual(['a', 'http://key.example', 'b']);
  expect(read['b']).toBe('http://127.0.0.1:1/assay-url/http/images.example/x');
});

test('a URL inside another string, even between escaped quotes, is kept', () => {
  const url = 'http://images.example/a.png';
  const body = { arguments: JSON.stringify({ url, b: 1 }), say: `see "${url}"`, url };
  const rewritten = rewriter.rewrite([], Buffer.from(JSON.stringify(body)));
  expect(JSON.parse(rewritten.body.toString())).toEqual({
    ...body,
    url: 'http://127.0.0.1:1/assay-url/http/images.example/a.png',
  });
});

test.for([
  'http://images.example/a is a page',
  'http://images.example/a\nhttp://images.example/b',
  'http:images.example',
  'https:',
])('text that is not a URL as a whole is kept: %j', (text) => {
  const body = Buffer.from(JSON.stringify({ text }));
  expect(rewriter.rewrite([], body)).toEqual({ headers: [], body });
});

test('a text of many megabytes that begins with a URL is kept', () => {
  const body = Buffer.from(JSON.stringify(`http://images.example/${'\n'.repeat(8_000_000)}`));
  expect(rewriter.rewrite([], body).body).toBe(body);
});

test('a key is kept, however many spaces follow it', () => {
  const body = Buffer.from(`{"http://images.example/a"${' '.repeat(100)}: 1}`);
  expect(rewriter.rewrite([], body).body).toBe(body);
});

test('a rewritten URL keeps its fragment, and the response loses fields that describe the bytes of its body', () => {
  const fields = ['ETag', 'Digest', 'Content-Digest', 'Repr-Digest', 'Content-MD5', 'X-A'];
  const { headers, body } = rewriter.rewrite(
    fields.map((name) => [name, 'v']),
    Buffer.from('["http://images.example/a?b#c"]'),
  );
  expect(body.toString()).toBe('["http://127.0.0.1:1/assay-url/http/images.example/a?b#c"]');
  expect(headers).toEqual([
    ['X-A', 'v'],
    ['Content-Length', String(body.length)],
  ]);
});
