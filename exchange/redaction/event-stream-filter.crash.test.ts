import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEvents } from '../http/sse-reader.ts';
import { filterPieces } from '../testing/pieces.ts';
import { makeAlias } from './alias.ts';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Canary_42+abc/XYZ';
const ALIAS = new TextDecoder().decode(makeAlias(1, new TextEncoder().encode(SECRET)));

function redact(text: string, cuts: readonly number[] = []): string {
  const bytes = Buffer.from(text);
  const redacted = filterPieces(new Redactor({ secrets: [SECRET] }).createStreamFilter(), bytes, cuts);
  expect(redacted.length).toBe(bytes.length);
  return redacted.toString();
}

function cutAt(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((to, i) => text.slice(at[i], to));
}

const chunk = (index: number, content: string, extra = {}) =>
  `data: ${JSON.stringify({ id: 'c1', choices: [{ delta: { content, ...extra }, index }] })}\n\n`;

const contents = (stream: string, index = 0) =>
  (readEvents(Buffer.from(stream))?.events ?? [])
    .map(
      ({ data }) =>
        JSON.parse(data).choices.find((choice: { index: number }) => choice.index === index)?.delta.content ??
        '',
    )
    .join('');

const places = fc.array(fc.nat(60), { maxLength: 8 });

test('a secret that is split into deltas is replaced in each of them, however the stream is split', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20, unit: 'grapheme' }), places, places, (around, deltas, cuts) => {
      const text = `${around}${SECRET}"\n${around}`;
      const stream = cutAt(text, deltas)
        .map((delta) => chunk(0, delta))
        .join('');
      expect(contents(redact(stream, cuts))).toBe(text.replace(SECRET, ALIAS));
    }),
    { numRuns: 300 },
  );
});

test('each choice is searched separately, at any position in its event', () => {
  const other = 'sk-Canary_41, nearly the same text';
  const letters = [...SECRET].map((letter, i) => {
    const choices = [
      { index: 0, delta: { content: letter } },
      { index: 1, delta: { content: other[i] ?? '' } },
    ];
    return `data: ${JSON.stringify({ choices: i % 2 === 0 ? choices : choices.toReversed() })}\n\n`;
  });
  const redacted = redact(letters.join(''));
  expect(contents(redacted, 0)).toBe(ALIAS);
  expect(contents(redacted, 1)).toBe(other.slice(0, SECRET.length));
});

describe('a secret cut into deltas', () => {
  test('is found in named events', () => {
    const named = cutAt(SECRET, [3, 9]).map(
      (value) =>
        `event: thread.message.delta\ndata: ${JSON.stringify({ delta: { content: [{ index: 0, text: { value } }] } })}\n\n`,
    );
    const events = readEvents(Buffer.from(redact(named.join(''))))?.events ?? [];
    const values = events.map(({ data }) => JSON.parse(data).delta.content[0].text.value);
    expect(values.join('')).toBe(ALIAS);
  });

  test('is found in JSON escapes', () => {
    const escaped = [...SECRET]
      .map((letter) => `data: {"d":"\\u00${letter.charCodeAt(0).toString(16)}"}\n\n`)
      .join('');
    const values = (readEvents(Buffer.from(redact(escaped)))?.events ?? []).map(
      ({ data }) => JSON.parse(data).d,
    );
    expect(values.join('')).toBe(ALIAS);
  });

  test('is found in base64', () => {
    const inBase64 = Buffer.from(`x${SECRET}yz`).toString('base64');
    const chunks = cutAt(inBase64, [5, 11, 20]).map((delta) => chunk(0, delta));
    const decoded = Buffer.from(contents(redact(chunks.join(''))), 'base64').toString();
    expect(decoded).toBe(`x${ALIAS}yz`);
  });

  test('is found in text that is not JSON', () => {
    const plain = redact(
      cutAt(SECRET, [4, 12])
        .map((piece) => `data: ${piece}\n\n`)
        .join(''),
    );
    const events = readEvents(Buffer.from(plain))?.events ?? [];
    expect(events.map(({ data }) => data).join('')).toBe(ALIAS);
  });

  test('is found in the unterminated end of a stream', () => {
    const stream = `${chunk(0, SECRET.slice(0, 8))}${chunk(0, SECRET.slice(8)).trimEnd()}`;
    const redacted = redact(stream);
    expect(redacted).not.toContain(SECRET.slice(0, 8));
    expect(redacted).not.toContain(SECRET.slice(8));
  });
});

test('an event is held back only if a secret may have begun in it or in an earlier event', () => {
  const filter = new Redactor({ secrets: [SECRET] }).createStreamFilter();
  const push = (text: string) => Buffer.from(filter.push(Buffer.from(text))).toString();
  expect(push(chunk(0, 'hello'))).toBe(chunk(0, 'hello'));
  expect(push(chunk(0, 'hello sk-Can'))).toBe('');
  expect(push(chunk(1, 'aside.'))).toBe('');
  expect(push(chunk(0, 'not '))).toBe(chunk(0, 'hello sk-Can') + chunk(1, 'aside.') + chunk(0, 'not '));
});

test('streams without a secret pass unchanged, whatever they contain', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => `data: ${json}\n\n`),
        ),
      ),
      places,
      (parts, cuts) => {
        const text = Buffer.from(parts.join('')).toString();
        expect(redact(text, cuts)).toBe(text);
      },
    ),
  );
});

test('a secret that is split within one event is replaced if its pieces belong to the same choice', () => {
  const choices = cutAt(SECRET, [7, 12]).map((content) => ({ index: 0, delta: { content } }));
  const redacted = redact(`data: ${JSON.stringify({ id: 'c1', choices })}\n\n`);
  const [event] = readEvents(Buffer.from(redacted))?.events ?? [];
  const replaced: { choices: typeof choices } = JSON.parse(event?.data ?? '');
  expect(replaced.choices.map(({ delta }) => delta.content).join('')).toBe(ALIAS);
});

test('a secret that is split across the data lines of one event is replaced', () => {
  const cut = `data: see ${SECRET.slice(0, 7)}\ndata: ${SECRET.slice(7)}\n\n`;
  expect(redact(cut)).toBe(`data: see ${ALIAS.slice(0, 7)}\ndata: ${ALIAS.slice(7)}\n\n`);
  const broken = `data: {"a":"${SECRET.slice(0, 7)}\ndata: ${SECRET.slice(7)}"}\n\n`;
  expect(redact(broken)).not.toContain(SECRET.slice(7));
});

test('a secret that contains a line feed is replaced in the lines of an event', () => {
  const filter = new Redactor({ secrets: ['first line 1\nsecond line'] }).createStreamFilter();
  const lines = 'data: first line 1\ndata: second line\n\n';
  const output = filterPieces(filter, Buffer.from(lines)).toString();
  expect(output).not.toMatch(/first|second/);
  expect(output.length).toBe(lines.length);
});

test('a secret with digits is found in text that arrives one character per event', () => {
  const stream = [...`see ${SECRET}.`].map((letter) => `data: ${letter}\n\n`).join('');
  const output = readEvents(Buffer.from(redact(stream)))?.events ?? [];
  expect(output.map(({ data }) => data).join('')).toBe(`see ${ALIAS}.`);
});
