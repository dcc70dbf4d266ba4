import { describe, expect, test } from 'vitest';
import { sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { type RecordOptions, startRecorder } from './record.ts';

const fixture = createRecordFixture();
const KEY = 'Key-0123456789abcdef';

/** The proxy adds KEY unless `options` has another key, or null for none. */
function startProxy(options: Partial<RecordOptions> = {}) {
  return fixture.start((_req, res) => res.end('{}'), { key: KEY, ...options });
}

async function fetchStatus(url: string, ...fields: readonly string[]): Promise<string> {
  const request = ['GET /v1/models HTTP/1.1', ...fields, 'Connection: close', '', ''].join('\r\n');
  const { text } = await sendRaw(url, request);
  return text.split('\r\n')[0]?.slice('HTTP/1.1 '.length) ?? '';
}

describe('a proxy that adds the key of its user', () => {
  test.each([
    ['localhost:1234'],
    ['127.0.0.1'],
    ['127.8.9.10:80'],
    ['[::1]:80'],
    ['LOCALHOST'],
    ['app.localhost:1'],
  ])('accepts the host name %s', async (host) => {
    expect(await fetchStatus((await startProxy()).url, `Host: ${host}`)).toBe('200 OK');
  });

  test.each([
    ['evil.example'],
    ['localhost.evil.example'],
    ['127.0.0.1.evil.example'],
    ['127.0.0.1@evil.example'],
    ['10.0.0.1'],
    ['[::2]'],
    [''],
    ['a b'],
  ])('rejects the host name %j', async (host) => {
    expect(await fetchStatus((await startProxy()).url, `Host: ${host}`)).toBe('403 Forbidden');
    expect(await fixture.stopRecorder()).toMatchObject({ recorded: 0, unrecorded: 0 });
  });

  test.each([
    [['Origin: http://localhost:3000'], '200 OK'],
    [['Origin: http://127.0.0.1:1'], '200 OK'],
    [['Origin: https://evil.example'], '403 Forbidden'],
    [['Origin: http://localhost.evil.example'], '403 Forbidden'],
    [['Origin: null'], '403 Forbidden'],
    [['Sec-Fetch-Site: cross-site'], '403 Forbidden'],
    [['Sec-Fetch-Site: cross-site', 'Referer: https://evil.example/a'], '403 Forbidden'],
    [['Sec-Fetch-Site: cross-site', 'Referer: http://localhost:3000/a'], '200 OK'],
    [['Sec-Fetch-Site: same-origin'], '200 OK'],
  ])('answers a web page by its origin: %j gets %s', async (fields, answer) => {
    expect(await fetchStatus((await startProxy()).url, 'Host: localhost', ...fields)).toBe(answer);
  });

  test('says how to allow a name and a site, and accepts them when allowed, but no other port of the site', async () => {
    const { url } = await startProxy();
    const refused = await sendRaw(
      url,
      'GET /v1/models HTTP/1.1\r\nHost: lab.example:80\r\nConnection: close\r\n\r\n',
    );
    expect(refused.text).toContain('--allow-host lab.example.');
    expect(refused.text).not.toContain(KEY);
    const foreign = await sendRaw(
      url,
      'GET /v1/models HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\nConnection: close\r\n\r\n',
    );
    expect(foreign.text).toContain('--allow-origin');
    await fixture.stopRecorder();
    const baseUrl = `http://${fixture.serviceHost()}/v1`;
    const allows = { allowHosts: ['Lab.example', 'bücher.example'], allowOrigins: ['https://app.example/'] };
    const recorder = await startRecorder({ baseUrl, cassette: fixture.cassette(), key: KEY, ...allows });
    expect(await fetchStatus(recorder.url, 'Host: lab.example:80')).toBe('200 OK');
    expect(await fetchStatus(recorder.url, 'Host: xn--bcher-kva.example')).toBe('200 OK');
    expect(await fetchStatus(recorder.url, 'Host: localhost', 'Origin: https://app.example')).toBe('200 OK');
    expect(await fetchStatus(recorder.url, 'Host: localhost', 'Origin: https://app.example:8443')).toBe(
      '403 Forbidden',
    );
    await recorder.close();
  });

  test('accepts a browser extension that is allowed, and no other', async () => {
    const { url } = await startProxy({ allowOrigins: ['chrome-extension://abcd/'] });
    const fetchFrom = (origin: string) => fetchStatus(url, 'Host: localhost', `Origin: ${origin}`);
    expect(await fetchFrom('chrome-extension://abcd')).toBe('200 OK');
    expect(await fetchFrom('chrome-extension://efgh')).toBe('403 Forbidden');
    expect(await fetchFrom('moz-extension://abcd')).toBe('403 Forbidden');
  });

  test('does not let a foreign page open a socket', async () => {
    const { url } = await startProxy();
    const upgrade =
      'GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    const { text } = await sendRaw(url, `${upgrade}Origin: https://evil.example\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(await fixture.stopRecorder()).toMatchObject({ upgraded: 0, unrecorded: 0 });
  });
});

test('a proxy that adds no credentials serves everybody', async () => {
  const { url } = await startProxy({ key: null });
  expect(await fetchStatus(url, 'Host: evil.example', 'Origin: https://evil.example')).toBe('200 OK');
});

test('a proxy that adds header fields instead of a key rejects a foreign host name too', async () => {
  const { url } = await startProxy({ key: null, headers: [['api-key', 'azure-0123456789']] });
  expect(await fetchStatus(url, 'Host: evil.example')).toBe('403 Forbidden');
});
