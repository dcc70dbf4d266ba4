import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { startReplayer } from '../replay/replay.ts';
import { recordFixture } from '../testing/record-fixture.ts';
import { sendRaw, startUpstream, type TestUpstream } from '../testing/upstream.ts';
import { UrlRewriter } from './url-rewriter.ts';

const bench = recordFixture();
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

interface Answer {
  readonly data: readonly { readonly url: string; readonly say: string }[];
}

const fetchImages = async (url: string) => (await (await fetch(url)).json()) as Answer; // as: the test's service returns it

/** Starts a recorder for a service whose response names a URL of `elsewhere` and one of its own. */
function recordService(elsewhere: string) {
  return bench.start(
    (req, res) => {
      if (req.url !== '/v1/images') return res.end(`own ${req.url}`);
      const own = `http://${req.headers.host}/files/b.png`;
      const data = [`${elsewhere}/a.png?x=1`, own].map((href) => ({ url: href, say: `see ${href}` }));
      return res
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify({ data })));
    },
    { rewriteUrls: true },
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

  const [first] = await bench.readExchanges();
  expect(first?.response?.body.bytes?.[0]).toBe(0x1f);
  await imageHost.close();
  await bench.stopService();
  const replayer = await startReplayer({ cassettes: [bench.cassette()], rewriteUrls: true, strict: true });
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

test('only hosts that a response named are called', async () => {
  imageHost = await startUpstream(() => {
    throw new Error('it was called');
  });
  const { url } = await bench.start((_req, res) => res.end('{}'), { rewriteUrls: true });
  const { host } = new URL(imageHost.url);
  const answer = await sendRaw(
    url,
    `GET /assay-url/http/${host}/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  expect(answer.text).toMatch(/^HTTP\/1\.1 403 /);
});

test.for(['a', '\\n', '%20'])('a URL of many megabytes is rewritten, whatever it consists of: %j', (unit) => {
  const long = `http://images.example/${unit.repeat(16_000_000 / unit.length)}`;
  const body = `{"a":"${long}", "http://key.example": 1, "b":"http://images.example/x"}`;
  const rewriter = new UrlRewriter({
    proxyOrigin: () => 'http://127.0.0.1:1',
    serviceOrigin: null,
    allows: () => true,
  });
  const rewritten = rewriter.rewrite([['content-type', 'application/json']], Buffer.from(body));
  const read = JSON.parse(rewritten.body.toString()) as Record<string, string>; // as: the test wrote this body
  expect(read['a']?.slice(0, 60)).toMatch(/^http:\/\/127\.0\.0\.1:1\/assay-url\/http\/images\.example\//);
  expect(Object.keys(read)).toEqual(['a', 'http://key.example', 'b']);
  expect(read['b']).toBe('http://127.0.0.1:1/assay-url/http/images.example/x');
});

test('a URL inside another string, even between escaped quotes, is kept', () => {
  const rewriter = new UrlRewriter({
    proxyOrigin: () => 'http://127.0.0.1:1',
    serviceOrigin: null,
    allows: () => true,
  });
  const url = 'http://images.example/a.png';
  const body = { arguments: JSON.stringify({ url, b: 1 }), say: `see "${url}"`, url };
  const rewritten = rewriter.rewrite([], Buffer.from(JSON.stringify(body)));
  expect(JSON.parse(rewritten.body.toString())).toEqual({
    ...body,
    url: 'http://127.0.0.1:1/assay-url/http/images.example/a.png',
  });
});
