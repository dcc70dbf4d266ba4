import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { scanForSecrets } from '../../exchange/cassette/secret-scan.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { isNote } from '../../exchange/trace.ts';
import { startReplayer } from '../replay/replay.ts';
import { sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';

const fixture = createRecordFixture();

/** A different secret for each place, so that a leak shows where it came from. */
const secretFor = (name: string) => `sk-${name}-0a9Z8b7Y6c5X`;
const GIVEN_SECRETS = [
  'query',
  'json',
  'escaped',
  'field',
  'file',
  'big',
  'safe',
  'echo',
  'packet',
  'delta',
  'base0',
  'base1',
  'base2',
  'gzip',
  'location',
  'trailer',
  'environment',
].map(secretFor);
const FOUND_SECRETS = ['bearer', 'apikey', 'basic', 'parameter', 'signed', 'linked', 'user'].map(secretFor);

const unicode = (text: string) => [...text].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('');
const base64 = (before: number, secret: string) =>
  Buffer.from(`${'_'.repeat(before)}${secret}__`).toString('base64');

test('a secret in any place reaches neither the cassette nor the messages about a replay miss', async () => {
  process.env['ASSAY_CANARY_TOKEN'] = secretFor('environment');
  const { url } = await fixture.start(
    async (req, res) => {
      const body = await requestBodyOf(req);
      if (req.url?.includes('stream')) {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const letter of secretFor('delta'))
          res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: letter } }] })}\n\n`);
        res.end(`data: ${secretFor('environment')}\n\ndata: [DONE]\n\n`);
      } else if (req.url?.includes('gzip')) {
        res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        res.end(gzipSync(JSON.stringify({ gzip: secretFor('gzip') })));
      } else if (req.url?.includes('packets')) {
        res.writeHead(200, {
          Trailer: 'X-Assay-T',
          Location: `https://${secretFor('user')}@files.example/x?y=${secretFor('location')}&sig=${secretFor('signed')}`,
          Link: `</v1/x?token=${secretFor('linked')}>; rel="next"`,
        });
        for (const letter of secretFor('packet')) {
          res.write(letter);
          await new Promise(setImmediate);
        }
        res.addTrailers({ 'X-Assay-T': secretFor('trailer') });
        res.end();
      } else
        res.end(
          `${body} ${req.headers.authorization} ${secretFor('echo')} ${req.headers['x-api-key']} ${secretFor('basic')} ${secretFor('signed')}`,
        );
    },
    { redaction: { secrets: GIVEN_SECRETS.filter((secret) => secret !== secretFor('environment')) } },
  );
  delete process.env['ASSAY_CANARY_TOKEN'];

  const post = async (path: string, body: string | FormData, headers: Record<string, string> = {}) =>
    (await fetch(`${url}${path}`, { method: 'POST', body, headers })).text();
  const form = new FormData();
  form.append('purpose', secretFor('field'));
  form.append('file', new File([secretFor('file'), '\n'.repeat(10_000), secretFor('big')], 'a.jsonl'));

  // These values are sent before they are known to be credentials.
  await post('/chat', JSON.stringify({ early: secretFor('bearer'), [secretFor('basic')]: 1 }));
  await post(
    `/chat?after=${encodeURIComponent(secretFor('query'))}&api_key=${secretFor('parameter')}`,
    JSON.stringify({ a: secretFor('json') }),
    {
      authorization: `Bearer ${secretFor('bearer')}`,
      'x-api-key': secretFor('apikey'),
      'x-assay-note': secretFor('safe'),
      cookie: `session=${secretFor('cookie')}`,
      'x-unheard-of': secretFor('unknown'),
    },
  );
  await post('/chat', `{"a":"${unicode(secretFor('escaped'))}","b":"${base64(0, secretFor('base0'))}"}`, {
    authorization: `Basic ${secretFor('basic')}`,
  });
  await post('/chat', JSON.stringify([1, 2].map((n) => base64(n, secretFor(`base${n}`)))));
  await post('/files', form);
  for (const path of ['/stream', '/gzip', '/packets']) await post(path, '{}');
  await sendRaw(
    url,
    `GET /v1/ws?token=${secretFor('parameter')} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    () => true,
  );
  await fixture.stopRecorder();

  const secrets = [...GIVEN_SECRETS, ...FOUND_SECRETS, secretFor('cookie'), secretFor('unknown')];
  const disk = filesIn(fixture.cassette())
    .map((file) => readFileSync(file))
    .map((bytes) => bytes.toString('latin1'));
  const { items } = await readTrace(fixture.cassette());
  expect(items.filter((item) => !isNote(item))).toHaveLength(8);
  const seen = [...disk, JSON.stringify(items, replaceBody)];
  for (const secret of secrets) {
    const forms = [
      secret,
      unicode(secret),
      encodeURIComponent(secret),
      ...[0, 1, 2].map((n) => selectCore(base64(n, secret))),
    ];
    for (const form of forms)
      expect(
        seen.some((text) => text.includes(form)),
        `${secret} as ${form}`,
      ).toBe(false);
  }
  expect(scanForSecrets(fixture.cassette(), new Redactor({ secrets }), 'known-and-shapes')).toEqual([]);

  let output = '';
  const replayer = await startReplayer({
    cassettes: [fixture.cassette()],
    redaction: { secrets: GIVEN_SECRETS },
    onMiss: (_, message) => (output += message),
  });
  const answer = await fetch(`${replayer.url}/chat?k=${secretFor('query')}`, {
    method: 'POST',
    body: JSON.stringify({ a: secretFor('bearer') }),
    headers: { authorization: `Bearer ${secretFor('bearer')}` },
  });
  output += await answer.text();
  await replayer.close();
  expect(output).toContain('redacted_');
  for (const secret of secrets) expect(output).not.toContain(secret);
});

test('an ordinary word that is used as a key is masked only in the header', async () => {
  for (const word of ['test', 'ollama', 'authentication']) {
    const { url } = await fixture.start(async (req, res) => res.end(await requestBodyOf(req)));
    const text = `a ${word} is a ${word}`;
    const answer = await fetch(`${url}/chat`, {
      method: 'POST',
      body: text,
      headers: { authorization: `Bearer ${word}` },
    });
    expect(await answer.text()).toBe(text);
    const [exchange] = await fixture.readExchanges();
    expect([exchange?.request.body.text, exchange?.response?.body.text]).toEqual([text, text]);
    expect(JSON.stringify(exchange?.request.headers)).not.toContain(word);
    await fixture.stopService();
  }
});

function selectCore(text: string): string {
  return text.slice(4, 20);
}

function replaceBody(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('sha256' in value) || !('text' in value)) return value;
  return value.text;
}

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((file) => statSync(file).isFile());
}
