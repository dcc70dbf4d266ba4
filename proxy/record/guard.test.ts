import { describe, expect, test } from 'vitest';
import { InvalidHeader } from '../../exchange/redaction/added-headers.ts';
import { sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { type RecordOptions, startRecorder } from './record.ts';

const fixture = createRecordFixture();
const KEY = 'Key-0123456789abcdef';

function startWithKey(options: Partial<RecordOptions> = {}) {
  return fixture.start(
    (req, res) => res.end(JSON.stringify([req.headers.authorization, req.headers['api-key']])),
    {
      key: KEY,
      ...options,
    },
  );
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
    expect(await fetchStatus((await startWithKey()).url, `Host: ${host}`)).toBe('200 OK');
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
    expect(await fetchStatus((await startWithKey()).url, `Host: ${host}`)).toBe('403 Forbidden');
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
    expect(await fetchStatus((await startWithKey()).url, 'Host: localhost', ...fields)).toBe(answer);
  });

  test('says how to allow a name and a site, and then accepts them', async () => {
    const { url } = await startWithKey();
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
    const { url } = await startWithKey({ allowOrigins: ['chrome-extension://abcd/'] });
    const fetchFrom = (origin: string) => fetchStatus(url, 'Host: localhost', `Origin: ${origin}`);
    expect(await fetchFrom('chrome-extension://abcd')).toBe('200 OK');
    expect(await fetchFrom('chrome-extension://efgh')).toBe('403 Forbidden');
    expect(await fetchFrom('moz-extension://abcd')).toBe('403 Forbidden');
  });

  test('does not let a foreign page open a socket', async () => {
    const { url } = await startWithKey();
    const upgrade =
      'GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    const { text } = await sendRaw(url, `${upgrade}Origin: https://evil.example\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(await fixture.stopRecorder()).toMatchObject({ upgraded: 0, unrecorded: 0 });
  });
});

test('a proxy that adds no credentials serves everybody', async () => {
  const { url } = await startWithKey({ key: null });
  expect(await fetchStatus(url, 'Host: evil.example', 'Origin: https://evil.example')).toBe('200 OK');
});

describe('header fields that are given', () => {
  test('replace those of the client and the key, and are redacted in the cassette', async () => {
    const secret = 'azure-0123456789-abcdef';
    const headers = [
      ['api-key', secret],
      ['Authorization', 'Basic Zm9vYmFyOjEyMzQ1Njc4OTA='],
    ] as const;
    const { url } = await startWithKey({ headers });
    const answer = await fetch(`${url}/models`, {
      headers: { 'API-Key': 'own', authorization: 'Bearer own' },
    });
    expect(await answer.json()).toEqual(['Basic Zm9vYmFyOjEyMzQ1Njc4OTA=', secret]);
    const [exchange] = await fixture.readExchanges();
    const kept = JSON.stringify(exchange?.request.headers) + exchange?.response?.body.text;
    for (const hidden of [secret, 'Zm9vYmFyOjEyMzQ1Njc4OTA=', KEY]) expect(kept).not.toContain(hidden);
    expect(
      exchange?.request.headers.filter(([name]) => /^(?:api-key|authorization)$/i.test(name)),
    ).toHaveLength(2);
  });

  test('guard the proxy as the key does', async () => {
    const { url } = await startWithKey({ key: null, headers: [['api-key', 'azure-0123456789']] });
    expect(await fetchStatus(url, 'Host: evil.example')).toBe('403 Forbidden');
  });

  test.each([
    ['a b', 'x'],
    ['', 'x'],
    ['X-Tenant', 'a\r\nb'],
    ['X-Tenant', 'né→'],
  ])('are rejected at the start if no request can carry them: %j: %j', async (name, value) => {
    const options = {
      baseUrl: 'http://127.0.0.1:1/v1',
      cassette: fixture.cassette(),
      headers: [[name, value]] as const,
    };
    await expect(startRecorder(options)).rejects.toThrow(InvalidHeader);
  });
});
