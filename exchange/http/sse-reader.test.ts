import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBytes } from '../testing/pieces.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { type SseEvent, SseReader } from './sse-reader.ts';

function read(pieces: readonly Uint8Array[]) {
  const reader = new SseReader();
  const events = pieces.flatMap((piece) => reader.push(piece));
  const { events: last, rest } = reader.finish();
  return { events: [...events, ...last].map(plain), rest: rest && plain(rest) };
}

function plain({ n, event, data, id, start, end }: SseEvent) {
  return { n, event, data, id, start, end };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const readWhole = (text: string) => read([bytes(text)]);
const dataOf = (text: string) => readWhole(text).events.map(({ data }) => data);

const line = fc.oneof(
  fc.constantFrom('data: a', 'data:é😀', 'data:', 'data', 'event: x', 'id: 7', ': note', 'retry: 5', ''),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => `data:${text.replace(/[\r\n]/g, '')}`),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 12 })
  .chain((lines) =>
    fc.tuple(fc.constant(lines.map((pair) => pair.join('')).join('')), fc.constantFrom('', '\uFEFF'), line),
  )
  .map(([text, bom, tail]) => bytes(`${bom}${text}${tail}`));

test('a stream is read the same however it is split', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(100), { maxLength: 8 }), (content, cuts) => {
      const expected = read([content]);
      expect(read(cutBytes(content, cuts))).toEqual(expected);
      expect(read([...content].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('the bytes between the offsets of an event are exactly that event', () => {
  fc.assert(
    fc.property(stream, (content) => {
      let before = 0;
      for (const { start, end, n: _, ...event } of read([content]).events) {
        expect(start).toBeGreaterThanOrEqual(before);
        expect(read([content.subarray(start, end)]).events).toMatchObject([{ ...event, start: 0 }]);
        before = end;
      }
    }),
  );
});

test('CR, LF and CRLF each end a line', () => {
  for (const end of ['\n', '\r', '\r\n'])
    expect(dataOf(`data: 1${end}${end}data: 2${end}${end}`)).toEqual(['1', '2']);
  expect(dataOf('data: 1\r\n\rdata: 2\n\r\ndata: 3\r\r\n')).toEqual(['1', '2', '3']);
});

test('data lines are joined, one space after the colon is dropped, other fields are ignored', () => {
  expect(readWhole(': hi\nevent: add\nid: 4\nretry: 9\ndata: a\ndata:  b\ndata\nx: y\n\n').events).toEqual([
    { n: 1, event: 'add', data: 'a\n b\n', id: '4', start: 0, end: 59 },
  ]);
});

test('an event without data is ignored, one with empty data is not', () => {
  expect(dataOf('event: ping\n\n: still here\n\ndata:\n\n')).toEqual(['']);
});

test('a byte order mark is skipped only at the very start', () => {
  expect(readWhole('\uFEFFdata: 1\n\n').events).toMatchObject([{ data: '1', start: 3, end: 12 }]);
  expect(dataOf('data: 1\n\n\uFEFFdata: 2\n\n')).toEqual(['1']);
});

test('the unterminated rest is reported separately', () => {
  expect(readWhole('data: 1\n\ndata: 2').rest).toMatchObject({ n: 2, data: '2', start: 9, end: 16 });
  expect(readWhole('data: 1\n\ndata: 2\n').rest).toMatchObject({ data: '2' });
  expect(readWhole('data: 1\n\n').rest).toBeNull();
  expect(readWhole('data: 1\n\n: bye').rest).toBeNull();
  expect(readWhole('data: 1\r\r')).toMatchObject({ events: [{ data: '1', end: 9 }], rest: null });
});

test('an event is returned as soon as its blank line ends; after a CR, the next byte decides where that is', () => {
  const reader = new SseReader();
  expect(reader.push(bytes('data: 1\n\n'))).toMatchObject([{ data: '1', end: 9 }]);
  expect(reader.push(bytes('data: 2\r\n\r'))).toEqual([]);
  expect(reader.push(bytes('\n'))).toMatchObject([{ data: '2', end: 20 }]);
  expect(reader.push(bytes('data: 3\r\r'))).toEqual([]);
  expect(reader.push(bytes('d'))).toMatchObject([{ data: '3', end: 29 }]);
});

test('JSON data is parsed once and distinguished from other data', () => {
  const [object, none, done] = new SseReader().push(bytes('data: {"a":1}\n\ndata: null\n\ndata: [DONE]\n\n'));
  expect(object?.json).toEqual({ value: { a: 1 } });
  expect(object?.json).toBe(object?.json);
  expect(none?.json).toEqual({ value: null });
  expect(done?.json).toBeNull();
});

test('a line that arrives in a million pieces of one byte is read within the timeout of a test', () => {
  const reader = new SseReader();
  const letter = bytes('x');
  reader.push(bytes('data:'));
  for (let i = 0; i < 1_000_000; i += 1) reader.push(letter);
  expect(reader.push(bytes('\n\n'))[0]?.data.length).toBe(1_000_000);
});

test('an event with more data lines than the limit is too long, and only the beginning of its data is kept', () => {
  const reader = new SseReader();
  const lines = bytes('data:\n'.repeat(10_000));
  for (let i = 0; i < 50; i += 1) reader.push(lines);
  expect(reader.push(bytes('\n'))).toMatchObject([{ isTooLong: false, data: '\n'.repeat(499_999) }]);
  for (let i = 0; i < 50; i += 1) reader.push(lines);
  const [event] = reader.push(bytes('data: 1\n\n'));
  expect(event).toMatchObject({ isTooLong: true, json: null, n: 2, data: '\n'.repeat(1024) });
});
