import { expect, test } from 'vitest';
import { isNote } from '../../exchange/trace.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { streamChanges } from './stream-changes.ts';

test.each(streamChanges)('a stream of events without names is written in another way: $name', ({ apply }) => {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body: { stream: true } }, { events: ['{"id":"c"}', '[DONE]'] });
  const texts = [...trace.exchanges, ...apply(trace.exchanges)].map((item) =>
    isNote(item) ? null : item.response?.body.text,
  );
  expect(new Set(texts).size).toBe(2);
});
