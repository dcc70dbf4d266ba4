import { expect, onTestFinished, test } from 'vitest';
import { Body } from '../../exchange/http/body.ts';
import { formDataParts as parseForm } from '../../exchange/http/form-data.ts';
import { firstHeader, hasHeader } from '../../exchange/http/headers.ts';
import { operation, useExtensions } from '../../schemas/index.ts';
import type { CallInput } from '../scenario/scenario.ts';
import { encodeRequest } from './encode-request.ts';
import type { OutgoingRequest } from './target.ts';

const settings = { apiKey: 'the-key', headers: [], betaHeader: 'Vendor-Beta', dialect: null };

test('ids and queries are escaped, and a missing id is an error', async () => {
  const input = { path: { model: 'ft:a/b?c d' }, query: {} };
  expect((await encodeRequest(settings, 'retrieveModel', input)).target).toBe(
    '/v1/models/ft%3Aa%2Fb%3Fc%20d',
  );
  const query = { purpose: 'a&b=c', limit: 2, flag: true };
  expect((await encodeRequest(settings, 'listFiles', { query })).target).toBe(
    '/v1/files?purpose=a%26b%3Dc&limit=2&flag=true',
  );
  await expect(encodeRequest(settings, 'retrieveFile', {})).rejects.toThrow(
    'retrieveFile needs a value for {file_id} in its path',
  );
});

test('a path parameter of an extension may have a name with a hyphen', async () => {
  const readSong = { ...operation('retrieveFile'), id: 'choir.readSong', path: '/v1/songs/{song-id}' };
  const facts = { name: 'choir', file: 'choir.json', digest: '0', patterns: new Map(), models: {} };
  useExtensions([{ ...facts, suites: [], operations: [readSong], schemas: [], notices: [], exports: [] }]);
  onTestFinished(() => useExtensions([]));
  const input = { path: { 'song-id': 'one' } };
  expect((await encodeRequest(settings, 'choir.readSong', input)).target).toBe('/v1/songs/one');
});

test('a lone surrogate in an id is sent as a replacement character', async () => {
  const { target } = await encodeRequest(settings, 'retrieveFile', { path: { file_id: 'a\ud800' } });
  expect(target).toBe('/v1/files/a%EF%BF%BD');
});

test('the key is sent unless the call leaves it out or sends a wrong one', async () => {
  const sent = async (auth?: CallInput['auth'], headers: readonly (readonly [string, string])[] = []) =>
    (await encodeRequest({ ...settings, headers }, 'listFiles', auth === undefined ? {} : { auth })).headers;
  expect(firstHeader(await sent(), 'authorization')).toBe('Bearer the-key');
  expect(hasHeader(await sent('absent'), 'authorization')).toBe(false);
  expect(firstHeader(await sent('wrong'), 'authorization')).toMatch(/^Bearer assay-wrong-key/);
  const other = [['Api-Key', 'k']] as const;
  expect(hasHeader(await sent('absent', other), 'api-key')).toBe(false);
  expect(hasHeader(await sent(undefined, other), 'api-key')).toBe(true);
  expect(
    hasHeader((await encodeRequest({ ...settings, apiKey: null }, 'listFiles', {})).headers, 'authorization'),
  ).toBe(false);
});

test('the key of another organization replaces every field that names the account of the first', async () => {
  const headers = [
    ['Api-Key', 'k'],
    ['OpenAI-Organization', 'org-1'],
    ['X-Tenant', 'one'],
  ] as const;
  const secondKey = { key: 'other-key', variable: 'OTHER' };
  const sent = (await encodeRequest({ ...settings, headers, secondKey }, 'listFiles', { auth: 'second' }))
    .headers;
  expect(firstHeader(sent, 'authorization')).toBe('Bearer other-key');
  expect(sent.map(([name]) => name.toLowerCase())).toEqual([
    'user-agent',
    'accept',
    'x-tenant',
    'authorization',
  ]);
});

test('headers of the user replace default ones', async () => {
  const headers = [['User-Agent', 'mine']] as const;
  const sent = (await encodeRequest({ ...settings, headers }, 'listFiles', {})).headers;
  expect(sent.filter(([name]) => name.toLowerCase() === 'user-agent')).toEqual([['User-Agent', 'mine']]);
});

test('the beta header follows the variant of the call', async () => {
  const beta = async (variant?: CallInput['variant'], betaHeader = 'Vendor-Beta') => {
    const input = variant === undefined ? {} : { variant };
    return firstHeader(
      (await encodeRequest({ ...settings, betaHeader }, 'listAssistants', input)).headers,
      betaHeader,
    );
  };
  expect(await beta('v1')).toBe('assistants=v1');
  expect(await beta('v2', 'Other-Beta')).toBe('assistants=v2');
  expect(await beta('none')).toBeNull();
  expect(await beta()).not.toBeNull();
  expect(hasHeader((await encodeRequest(settings, 'listFiles', {})).headers, 'Vendor-Beta')).toBe(false);
});

test('a dialect replaces the path of an operation', async () => {
  const path = '/v1/vector_stores/{vector_store_id}/files_batches/{batch_id}';
  const paths = { [path]: path.replace('files_batches', 'file_batches') };
  const dialect = { given: 'd', name: 'd', digest: '0', betaHeader: null, paths };
  const input = { path: { vector_store_id: 'vs_1', batch_id: 'b' } };
  const { target } = await encodeRequest({ ...settings, dialect }, 'retrieveVectorStoreFileBatch', input);
  expect(target).toBe('/v1/vector_stores/vs_1/file_batches/b');
});

test('a JSON body and a form are sent with their content type, and a GET has no body', async () => {
  const json = await encodeRequest(settings, 'createChatCompletion', { body: { n: 1 } });
  expect([firstHeader(json.headers, 'content-type'), (await readSentBytes(json)).toString()]).toEqual([
    'application/json',
    '{"n":1}',
  ]);
  const file = { name: 'file', file: Buffer.from([0, 255, 13, 10]), filename: 'ä "b".bin', type: 'a/b' };
  const sent = await encodeRequest(settings, 'createFile', {
    form: [{ name: 'purpose', value: 'batch' }, file],
  });
  const parts = parseForm({ headers: sent.headers, body: Body.from(await readSentBytes(sent)) });
  expect(parts?.map(({ name, body }) => [name, body.size])).toEqual([
    ['purpose', 5],
    ['file', 4],
  ]);
  expect([parts?.[1]?.filename, parts?.[1]?.type]).toEqual(['ä %22b%22.bin', 'a/b']);
  expect((await encodeRequest(settings, 'listFiles', {})).body).toBeNull();
});

test('a file of repeated text is streamed at its declared length, which may cut off the last repetition', async () => {
  const part = { name: 'file', filename: 'x.txt', type: 'text/plain' };
  for (const bytes of [0, 1, 5, 65_536, 200_001]) {
    const form = [
      { name: 'purpose', value: 'vision' },
      { ...part, repeated: { text: 'abc', bytes } },
    ];
    const streamed = await encodeRequest(settings, 'createFile', { form });
    const sent = await readSentBytes(streamed);
    expect(streamed.body).toHaveProperty('size', sent.byteLength);
    const [, file] = parseForm({ headers: streamed.headers, body: Body.from(sent) }) ?? [];
    expect([file?.filename, file?.body.text]).toEqual(['x.txt', 'abc'.repeat(bytes).slice(0, bytes)]);
  }
});

async function readSentBytes({ body }: OutgoingRequest): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0);
  if (!('chunks' in body)) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return Buffer.concat(chunks);
}
