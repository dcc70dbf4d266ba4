import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openCassette } from '../../exchange/cassette/cassette.ts';
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
