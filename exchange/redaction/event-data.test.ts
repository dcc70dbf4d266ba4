import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../testing/property-runs.ts';
import { eventData } from './event-stream-filter.ts';

function readData(text: string): string {
  const values = text.split(/\r\n|\n|\r/).flatMap((line) => {
    if (line === 'data') return [''];
    return line.startsWith('data:') ? [line.slice(line.startsWith('data: ') ? 6 : 5)] : [];
  });
  return values.join('\n');
}

test('the data of an event is read with the position of each byte', () => {
  const parts = fc.constantFrom(
    'data',
    'data:',
    'data: ',
    'dat',
    'event: x',
    ':',
    ' ',
    '{"a":1}',
    'é',
    '\n',
    '\r',
    '\r\n',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
      const raw = Buffer.from(pieces.join(''));
      const { bytes, at } = eventData(raw);
      expect(Buffer.from(bytes).toString()).toBe(readData(raw.toString()));
      expect(at.length).toBe(bytes.length);
      for (const [i, byte] of bytes.entries()) if (byte !== 10) expect(raw[at[i] ?? -1]).toBe(byte);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('data is a copy, which later changes of the event do not affect', () => {
  const raw = Buffer.from('data: abc\n\n');
  const { bytes } = eventData(raw);
  raw.fill('x');
  expect(Buffer.from(bytes).toString()).toBe('abc');
});
