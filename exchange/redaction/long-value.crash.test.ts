import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { filterPieces } from '../testing/pieces.ts';
import type { ByteFilter } from './byte-filter.ts';
import { Redactor } from './redactor.ts';

const FORM: HeaderPairs = [['content-type', 'application/x-www-form-urlencoded']];
/** Longer than the part of a value that is held back. */
const LONG = 40_000;
const SECRET = Array.from({ length: LONG / 8 }, (_, i) => `k${String(i).padStart(5, '0')}Zq`).join('');
const MASK = `redacted_${'x'.repeat(LONG - 9)}`;

function filterText(filter: ByteFilter, text: string, cuts: readonly number[] = []): string {
  const bytes = Buffer.from(text, 'latin1');
  const filtered = filterPieces(filter, bytes, cuts);
  expect(filtered.length).toBe(bytes.length);
  return filtered.toString('latin1');
}

const PLACES: Readonly<Record<string, readonly [before: string, after: string, headers?: HeaderPairs]>> = {
  'a field of JSON': ['{"a":1,"private_key":"', '","n":[1,2]}'],
  'a field of JSON within JSON': ['{"arguments":"{\\"password\\":\\"', '\\",\\"n\\":1}","m":"end"}'],
  'a field deeper in JSON': [
    '{"a":"{\\"b\\":\\"{\\\\\\"secret\\\\\\":\\\\\\"',
    '\\\\\\",\\\\\\"n\\\\\\":1}\\"}"}',
  ],
  'a part of a form': ['--b\r\nX: name="api_key"\r\n\r\n', '\r\n--b\r\n\r\nkept\r\n--b--'],
  'a field of a form': ['n=1&client_secret=', '&grant=kept\n', FORM],
  'a parameter of a URL': ['{"url":"https://x/a?sig=', '&n=1#kept"}'],
  'a parameter of a URL within a URL': ['https://x/?u=https%3A%2F%2Fy%2F%3Fsig%3D', '%26n%3D1&kept=1'],
};
const TWISTS = ['', '%2F', '%25', '\\\\', '/'];

describe.each(Object.entries(PLACES))(
  'a value that is too long to hold back in %s',
  (name, [before, after, headers]) => {
    test('is masked completely, however the body is split', () => {
      const text = before + SECRET + after;
      const expected = before + MASK + after;
      const redactor = new Redactor();
      const cut = fc.oneof(
        fc.nat(text.length),
        fc.integer({ min: 16_380, max: 16_600 }),
        fc.integer({ min: before.length + LONG - 9, max: text.length }),
      );
      fc.assert(
        fc.property(fc.array(cut, { maxLength: 12 }), (cuts) => {
          const output = filterText(redactor.createBodyFilter(headers), text, cuts);
          expect(output === expected).toBe(true);
          expect(filterText(redactor.createBodyFilter(headers), output, cuts) === expected).toBe(true);
        }),
        { numRuns: 40 },
      );
    });

    test('is masked completely if each of its last bytes arrives separately', () => {
      const text = before + SECRET.slice(0, 17_000) + after;
      const offsets = Array.from({ length: text.length }, (_, i) => i);
      // An incomplete value is read again with each piece, so only the last pieces are this small.
      const output = filterText(new Redactor().createBodyFilter(headers), text, offsets.slice(16_300));
      expect(output === `${before}redacted_${'x'.repeat(16_991)}${after}`).toBe(true);
    });

    test('is passed on while it arrives', () => {
      const filter = new Redactor().createBodyFilter(headers);
      let heldBytes = 0;
      for (const piece of [before, ...Array.from({ length: 64 }, () => 'a1B2'.repeat(1024))]) {
        heldBytes += piece.length - filter.push(Buffer.from(piece)).length;
        expect(heldBytes).toBeLessThan(24 * 1024);
      }
    });

    test('is masked the same in one piece and in several, whatever is at the split', () => {
      const twist = fc.constantFrom(...TWISTS, ...(name.includes('JSON') ? ['\\\\\\\\'] : []));
      fc.assert(
        fc.property(
          fc.integer({ min: 16_360, max: 16_400 }),
          fc.array(twist, { minLength: 1, maxLength: 8 }),
          fc.array(fc.integer({ min: 16_370, max: 16_500 }), { maxLength: 6 }),
          (length, twists, cuts) => {
            const text = before + SECRET.slice(0, length) + twists.join('') + SECRET.slice(0, 400) + after;
            const masked = filterText(new Redactor().createBodyFilter(headers), text);
            expect(filterText(new Redactor().createBodyFilter(headers), text, cuts) === masked).toBe(true);
            expect(filterText(new Redactor().createBodyFilter(headers), masked, cuts) === masked).toBe(true);
          },
        ),
        { numRuns: 60 },
      );
    });
  },
);

test('a value that spans the deltas of a stream is masked completely', () => {
  for (const place of ['a field of JSON', 'a parameter of a URL']) {
    const [before, after] = PLACES[place] ?? ['', ''];
    const text = before + SECRET + after;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { minLength: 20, maxLength: 60 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const deltas = at.slice(1).map((to, i) => ({ delta: text.slice(at[i], to) }));
        const events = deltas.map((json) => `data: ${JSON.stringify(json)}\n\n`).join('');
        const output = filterText(new Redactor().createStreamFilter(), events);
        const redactedDeltas = [...output.matchAll(/^data: (.*)$/gm)].map(
          ([, data = '']) => JSON.parse(data).delta,
        );
        expect(redactedDeltas.length).toBe(deltas.length);
        expect(redactedDeltas.join('') === before + MASK + after).toBe(true);
      }),
      { numRuns: 10 },
    );
  }
});

test('a long value in the data of one event is masked completely, and the events stay separate', () => {
  const events = (value: string) => `data: {"secret":"${value}"}\n\ndata: {"n":1}\n\n`;
  expect(filterText(new Redactor().createStreamFilter(), events(SECRET)) === events(MASK)).toBe(true);
});

test('equal long values get equal masks, even from two redactors', () => {
  const text = `{"password":"${SECRET}","api_key":"${SECRET}"}`;
  const [first, second] = [new Redactor(), new Redactor()].map((redactor) =>
    filterText(redactor.createBodyFilter(), text),
  );
  expect(first === `{"password":"${MASK}","api_key":"${MASK}"}`).toBe(true);
  expect(second === first).toBe(true);
});

test.each(['"password', '"password"', '"password":'])(
  'an endless run of one character after %s is not held back',
  (lead) => {
    const filter = new Redactor().createBodyFilter();
    const run = (lead.at(-1) === 'd' ? '\\' : ' ').repeat(20);
    let released = 0;
    for (const piece of [lead, ...Array.from({ length: 400 }, () => run)])
      released += filter.push(Buffer.from(piece)).length;
    expect(released).toBeGreaterThan(4000);
  },
);
