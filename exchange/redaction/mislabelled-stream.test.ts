import { expect, test } from 'vitest';
import { Redactor } from './redactor.ts';

test('an event stream that is declared as another media type is redacted as a stream', () => {
  const secret = 'sk-Canary_42+abc/XYZ';
  const stream = [...secret].map((content) => `data: ${JSON.stringify({ delta: { content } })}\n\n`).join('');
  const bytes = Buffer.from(stream);
  for (const type of ['text/plain', 'application/json', 'application/x-ndjson']) {
    const filter = new Redactor({ secrets: [secret] }).createBodyFilter([['content-type', type]]);
    const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3, 500), bytes.subarray(500)];
    const output = Buffer.concat([...pieces.map((piece) => filter.push(piece)), filter.finish()]);
    expect(output.length).toBe(bytes.length);
    const events = output.toString().split('\n\n').slice(0, -1);
    const texts = events.map(
      (event) => (JSON.parse(event.slice(6)) as { delta: { content: string } }).delta.content,
    ); // as: the test built these events
    expect(texts.join('')).toBe('redacted_1_xxxxx/xxx');
  }
});
