import { expect, test } from 'vitest';
import { MAX_LINE_BYTES, SseReader } from './sse-reader.ts';

test('an event whose line or data exceeds the limit is marked as too long, and the next event is read', () => {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const lines = Buffer.from(`data: ${'y'.repeat(1024 * 1024)}\n`);
  for (const [begin, more] of [
    ['data: ', piece],
    ['', lines],
  ] as const) {
    const reader = new SseReader();
    reader.push(Buffer.from(begin));
    for (let sent = 0; sent <= 2 * MAX_LINE_BYTES; sent += more.length) reader.push(more);
    const [event] = reader.push(Buffer.from('\n\n'));
    expect([event?.isTooLong, event?.json]).toEqual([true, null]);
    expect(reader.push(Buffer.from('data: 1\n\n'))).toMatchObject([{ data: '1', isTooLong: false }]);
  }
});

test('a long comment does not make its event too long', () => {
  const reader = new SseReader();
  reader.push(Buffer.from(`:${'x'.repeat(MAX_LINE_BYTES)}\n`));
  expect(reader.push(Buffer.from('data: 1\n\n'))).toMatchObject([{ data: '1', isTooLong: false }]);
});
