import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeBody } from '../cassette/body-encoding.ts';
import { canonicalRequest } from '../matching/request-key.ts';
import { Body, type Json } from './body.ts';
import { isTooDeep, MAX_LEVELS, parseBoundedJson } from './json-text.ts';
import { readEvents } from './sse-reader.ts';

const nest = (levels: number, open = '[', close = ']') =>
  `${open.repeat(levels)}${open === '[' ? '' : '1'}${close.repeat(levels)}`;

function levels(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levels));
}

describe('the depth of JSON', () => {
  test('is counted in levels, whatever strings contain', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 8 }),
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 0, max: 3 }),
        (text, string, excess) => {
          const inner = `[${text},${JSON.stringify(`${string}[[[{{{"\\`)}]`;
          const levelsOfInner = levels(JSON.parse(inner));
          const outer = MAX_LEVELS - levelsOfInner + excess;
          const nested = `${'['.repeat(outer)}${inner}${']'.repeat(outer)}`;
          expect(isTooDeep(nested)).toBe(excess > 0);
          expect(parseBoundedJson(nested) === null).toBe(excess > 0);
        },
      ),
    );
  });

  test('is not counted in an unterminated string', () => {
    expect(isTooDeep(`"${'['.repeat(5_000)}`)).toBe(false);
  });

  test('is not reduced by brackets that close nothing', () => {
    expect(isTooDeep(']'.repeat(5_000) + '['.repeat(MAX_LEVELS + 1))).toBe(true);
  });
});

test('a quotation mark after thousands of backslashes ends a string only if their number is even', () => {
  expect(parseBoundedJson(`"${'\\'.repeat(3_000)}"`)).toEqual({ value: '\\'.repeat(1_500) });
  expect(parseBoundedJson(`"${'\\'.repeat(3_001)}"`)).toBeNull();
  expect(isTooDeep(`"${'\\'.repeat(3_000)}"${'['.repeat(MAX_LEVELS + 1)}`)).toBe(true);
  expect(isTooDeep(`"${'\\'.repeat(3_001)}"${'['.repeat(MAX_LEVELS + 1)}`)).toBe(false);
});

describe('nested JSON', () => {
  test.each([
    ['arrays', nest(200_000)],
    ['objects', nest(200_000, '{"a":', '}')],
  ])('of 200,000 %s is never parsed', (_, text) => {
    const body = Body.from(text);
    expect(body.json).toBeNull();
    expect(encodeBody(Buffer.from(text))).toEqual({ text });
    expect(readEvents(Buffer.from(`data: ${text}\n\n`))?.events[0]?.json).toBeNull();
    const request = { method: 'POST', target: '/v1/x', headers: [], body };
    expect(canonicalRequest(request, []).body).toEqual({ sha256: body.sha256, size: text.length });
  });

  test('of as many levels as the limit is parsed for a canonical request and for a stored body', () => {
    const text = nest(MAX_LEVELS);
    const request = { method: 'POST', target: '/v1/x', headers: [], body: Body.from(text) };
    expect(JSON.stringify(canonicalRequest(request, []).body)).toBe(`{"json":${text}}`);
    expect(encodeBody(Buffer.from(text))).toMatchObject({ json: [expect.anything()] });
  });
});
