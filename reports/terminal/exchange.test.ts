import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { Body } from '../../exchange/http/body.ts';
import { coloursFor } from '../words/colours.ts';
import { exchangeText } from './exchange.ts';

const session = fileURLToPath(new URL('../../cassettes/assistant-session', import.meta.url));

let cassette: Cassette;
beforeAll(async () => {
  cassette = await openCassette(session);
});
afterAll(() => cassette.close());

test('every exchange of a session is printed with request line and response headers, without control characters', () => {
  expect(cassette.size).toBeGreaterThan(8);
  for (let k = 0; k < cassette.size; k++) {
    const exchange = cassette.exchange(k);
    const text = exchangeText(exchange, coloursFor('off'));
    expect(text).toContain(`> ${exchange.request.method} ${exchange.request.target}`);
    for (const [name, value] of exchange.response?.headers ?? [])
      expect(text).toContain(`< ${name}: ${value}`);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  }
});

test('a body that is not text is described by its size and digest', () => {
  const { response, ...rest } = cassette.exchange(0);
  if (response === null) throw new Error('The first exchange has no response.');
  const body = Body.from(Uint8Array.of(0xff, 0xfe));
  const text = exchangeText({ ...rest, response: { ...response, headers: [], body } }, coloursFor('off'));
  const words = `(2 B, not shown: it is not text, was not kept or is too large; sha256 ${body.sha256})`;
  expect(text.split('\n')).toContain(words);
});

test('the events of a stream are printed with number, time and name', () => {
  const text = exchangeText(cassette.exchange(8), coloursFor('off'));
  expect(text).toMatch(/^1 \+[\d.]+ms {2}thread\.run\.step\.completed: \{"id"/m);
  expect(text).toMatch(/^20 \+[\d.]+ms {2}done: \[DONE\]$/m);
});

test('a JSON body is indented', () => {
  const text = exchangeText(cassette.exchange(8), coloursFor('off'));
  expect(text).toMatch(/^ +"output": "Sunny, 27 °C"$/m);
});

test('a file of a form without a field name is said to have none', () => {
  const { request, ...rest } = cassette.exchange(0);
  const headers = [['content-type', 'multipart/form-data; boundary=b']] as const;
  const body = Body.from('--b\r\ncontent-disposition: form-data; filename="a.txt"\r\n\r\nhi\r\n--b--\r\n');
  const text = exchangeText({ ...rest, request: { ...request, headers, body } }, coloursFor('off'));
  expect(text.split('\n')).toContain('(no name)=@a.txt (2 B, no type)');
});
