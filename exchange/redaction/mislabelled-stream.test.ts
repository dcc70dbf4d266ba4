import { expect, test } from 'vitest';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Canary_42+abc/XYZ';

test.each(
  ['text/plain', 'application/json', 'application/x-ndjson'].flatMap((type) => [
    { type, means: 'known secrets', options: { secrets: [SECRET] } },
    { type, means: 'a pointer', options: { rules: [{ pointer: '/delta/content' }] } },
  ]),
)('an event stream that is declared as $type is redacted as a stream, by $means', ({ type, options }) => {
  const events = [...SECRET].map((content) => `data: ${JSON.stringify({ delta: { content } })}\n\n`);
  const bytes = Buffer.from(events.join(''));
  const filter = new Redactor(options).createBodyFilter([['content-type', type]]);
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3, 500), bytes.subarray(500)];
  const output = Buffer.concat([...pieces.map((piece) => filter.push(piece)), filter.finish()]);
  expect(output.length).toBe(bytes.length);
  const redactedEvents = output.toString().split('\n\n').slice(0, -1);
  const texts = redactedEvents.map((event) => JSON.parse(event.slice('data: '.length)).delta.content);
  expect(texts.join('')).toBe('redacted_1_xxxxx/xxx');
});
