import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scanForSecrets } from '../../exchange/cassette/secret-scan.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { startReplayer } from './replay.ts';

const fixture = createRecordFixture();
const SECRET = '0a9Z8b7Y6c5X4w3V2u1T';
const FIELDS: readonly (readonly [string, string])[] = [
  ['retry-after-ms', '1500'],
  ['x-ratelimit-reset-requests', '6m12s'],
  ['Set-Cookie', `session=${SECRET}; Path=/v1; Max-Age=600; HttpOnly; SameSite=Lax`],
  ['Set-Cookie', 'theme=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
  ['x-served-by', 'cache-ams21'],
  ['x-model-region', 'us-east-1'],
  ['x-grant', SECRET],
];
const MASKED_FIELDS = FIELDS.map(
  ([name, value]) => [name, value.replace(SECRET, 'redacted_xxxxxxxxxxx')] as const,
);

function fetchFields(url: string): Promise<{ fields: readonly string[]; trailers: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/models`, (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ fields: answer.rawHeaders, trailers: answer.rawTrailers }));
    });
    outgoing.on('error', reject).end();
  });
}

test('fields and trailers of a response are replayed, and cookies and secrets are stored only with masked values', async () => {
  const { url } = await fixture.start((_req, res) => {
    res.writeHead(200, [...FIELDS, ['Trailer', 'x-checked, x-proof']].flat());
    res.write('{}');
    res.addTrailers({ 'x-checked': 'yes, 12 bytes', 'x-proof': SECRET });
    res.end();
  });
  const live = await fetchFields(url);
  expect(live.fields).toEqual(expect.arrayContaining(FIELDS.flat()));
  await fixture.stopRecorder();

  const replayer = await startReplayer({ cassettes: [fixture.cassette()] });
  const replayed = await fetchFields(replayer.url);
  await replayer.close();
  expect(replayed.fields.slice(0, MASKED_FIELDS.length * 2)).toEqual(MASKED_FIELDS.flat());
  expect(replayed.trailers).toEqual(['x-checked', 'yes, 12 bytes', 'x-proof', 'redacted_xxxxxxxxxxx']);

  const files = readdirSync(fixture.cassette(), { recursive: true, withFileTypes: true });
  const disk = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name)));
  expect(Buffer.concat(disk).includes(SECRET)).toBe(false);
  expect(scanForSecrets(fixture.cassette(), new Redactor(), 'known-and-shapes')).toEqual([]);
});

test('fields keep the order and the case of the service: for the client, in the cassette and in the replay', async () => {
  const sent = [
    ['X-B', '1'],
    ['Content-Type', 'application/json'],
    ['Set-Cookie', 'a='],
    ['x-A', '2'],
    ['Date', 'Sun, 01 Feb 2026 10:00:00 GMT'],
    ['x-b', '3'],
    ['7', 'a number'],
    ['set-cookie', 'b='],
    ['Content-Length', '2'],
    ['Vary', 'Origin'],
    ['X-b', '4'],
  ];
  const { url } = await fixture.start((_req, res) => {
    res.sendDate = false;
    res.writeHead(200, sent.flat()).end('{}');
  });
  // These fields concern one connection, and a proxy has two.
  const fetchEndToEndFields = async (from: string) => {
    const { fields } = await fetchFields(from);
    return headerPairs(fields).filter(([name]) => !/^(?:connection|keep-alive)$/i.test(name));
  };
  expect(await fetchEndToEndFields(url)).toEqual(sent);
  const [exchange] = await fixture.readExchanges();
  expect(exchange?.response?.headers.slice(0, sent.length)).toEqual(sent);
  const replayer = await startReplayer({ cassettes: [fixture.cassette()] });
  const replayed = await fetchEndToEndFields(replayer.url);
  await replayer.close();
  expect(replayed).toEqual(sent);
});

test('an empty field is replayed, and without the timing file only fields whose values are in it are missing', async () => {
  const { url } = await fixture.start((_req, res) => {
    res.writeHead(200, ['x-note', '', 'x-request-id', 'req-1', 'Trailer', 'x-checked']);
    res.write('{}');
    res.addTrailers({ 'x-checked': '' });
    res.end();
  });
  await fetchFields(url);
  await fixture.stopRecorder();

  const replay = async () => {
    const replayer = await startReplayer({ cassettes: [fixture.cassette()] });
    const { fields, trailers } = await fetchFields(replayer.url);
    await replayer.close();
    return { fields: fields.slice(0, fields.indexOf('Trailer')), trailers };
  };
  const trailers = ['x-checked', ''];
  expect(await replay()).toEqual({ fields: ['x-note', '', 'x-request-id', 'req-1'], trailers });
  rmSync(join(fixture.cassette(), 'timing.jsonl'));
  expect(await replay()).toEqual({ fields: ['x-note', ''], trailers });
});
