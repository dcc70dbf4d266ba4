import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openCassette } from '../../exchange/cassette/cassette.ts';
import { Body } from '../../exchange/http/body.ts';
import { coloursFor } from '../words/colours.ts';
import { exchangeText } from './exchange.ts';

const session = fileURLToPath(new URL('../../cassettes/assistant-session', import.meta.url));

test('every exchange of a session is printed with both sides, without terminal control characters', async () => {
  const cassette = await openCassette(session);
  try {
    for (let k = 0; k < cassette.size; k++) {
      const exchange = cassette.exchange(k);
      const text = exchangeText(exchange, coloursFor('off'));
      expect(text).toContain(`> ${exchange.request.method} ${exchange.request.target}`);
      for (const [name, value] of exchange.response?.headers ?? [])
        expect(text).toContain(`< ${name}: ${value}`);
      expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    }
    const streamed = exchangeText(cassette.exchange(8), coloursFor('off'));
    expect(streamed).toMatch(/^1 \+[\d.]+ms {2}thread\.run\.step\.completed: \{"id"/m);
    expect(streamed).toMatch(/^20 \+[\d.]+ms {2}done: \[DONE\]$/m);
    expect(streamed).toContain('"output": "Sunny, 27 °C"');
  } finally {
    cassette.close();
  }
});

test('a body that is not text is described by its size and digest', async () => {
  const cassette = await openCassette(session);
  const { response, ...rest } = cassette.exchange(0);
  cassette.close();
  if (response === null) throw new Error('The first exchange has no response.');
  const body = Body.from(Uint8Array.of(0xff, 0xfe));
  const text = exchangeText({ ...rest, response: { ...response, headers: [], body } }, coloursFor('off'));
  const words = `(2 B, not shown: it is not text, was not kept or is too large; sha256 ${body.sha256})`;
  expect(text.split('\n')).toContain(words);
});
