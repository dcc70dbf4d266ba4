import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createReplayFixture, postRequest, responseText } from '../testing/replay-fixture.ts';
import { InvalidNormalising, parseNormalising } from './normalising.ts';
import { startReplayer } from './replay.ts';

const fixture = createReplayFixture();
const prompt = (content: string) => JSON.stringify({ messages: [{ role: 'user', content }] });

const WEEKDAYS = ['Monday', 'Tue', 'Friday'];
const MONTHS = ['January', 'Feb', 'May', 'Sept.', 'December'];
const padTwo = (number: number) => String(number).padStart(2, '0');

const dates = fc
  .record({
    when: fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
    weekday: fc.constantFrom(...WEEKDAYS),
    month: fc.constantFrom(...MONTHS),
    form: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ when, weekday, month, form }) => {
    const [day, year] = [when.getUTCDate(), when.getUTCFullYear()];
    const iso = when.toISOString();
    const forms = [
      iso,
      iso.slice(0, 10),
      iso.slice(0, 19).replace('T', ' '),
      `${iso.slice(0, 19)}+02:00`,
      when.toUTCString(),
      `${weekday}, ${month} ${day}, ${year}`,
      `${month} ${day}th, ${year} at ${padTwo(day % 24)}:05 PM`,
      `${day} ${month} ${year}`,
      `${padTwo(day)}/${padTwo(when.getUTCMonth() + 1)}/${year}`,
      `${padTwo(day % 24)}:${padTwo(day)}:07`,
    ];
    return forms[form] ?? iso;
  });
/**
 * Text that no date, time zone or identifier begins or ends with: it has no digits, no vowels, which the names of all
 * months and weekdays have, and no letters of PM, GMT and Z.
 */
const words = fc.stringMatching(/^[bcdfhjklqrvwxyBCDFHJKLQRVWXY <>"\\{},.!?\n-]{0,20}$/);
const values = {
  date: dates,
  uuid: fc.uuid(),
  'pattern:run-[0-9]+': fc.nat().map((n) => `run-${n}`),
};

describe.each(Object.entries(values))('with %s normalised', (kind, volatile) => {
  const { normalise } = parseNormalising([kind]);
  const normaliseText = (text: string) => (normalise === null ? text : normalise(text));

  test('texts are equal if and only if they agree around their volatile parts', () => {
    fc.assert(
      fc.property(words, words, words, volatile, volatile, (before, after, changed, part, otherPart) => {
        const recorded = normaliseText(`${before} ${part} ${after}`);
        expect(normaliseText(`${before} ${otherPart} ${after}`)).toBe(recorded);
        expect(normaliseText(`${changed} ${otherPart} ${after}`) === recorded).toBe(changed === before);
        expect(normaliseText(`${before} ${otherPart} ${changed}`) === recorded).toBe(changed === after);
      }),
    );
  });

  test('text without volatile parts is unchanged', () => {
    fc.assert(
      fc.property(words, (text) => {
        expect(normaliseText(text)).toBe(text);
      }),
    );
  });

  test('a volatile part is replaced with the name of its kind, which is not normalised again', () => {
    fc.assert(
      fc.property(words, volatile, (text, part) => {
        const normalised = normaliseText(`${text} ${part}`);
        expect(normalised).toBe(`${text} <${kind.split(':')[0]}>`);
        expect(normaliseText(normalised)).toBe(normalised);
      }),
    );
  });
});

test('numbers, versions and words that only resemble a date or a UUID are compared', () => {
  const { normalise } = parseNormalising(['date,uuid']);
  for (const text of ['2024', '1.2.3', '12:3', 'May', 'gpt-4-0613', '3:1 odds', 'deadbeef-0000', '10-20-30'])
    expect(normalise?.(text)).toBe(text);
});

describe('a replay', () => {
  const recorded = prompt(
    'Today is Tuesday, November 24, 2026. Request 123e4567-e89b-12d3-a456-426614174000, try 1.',
  );
  const request = prompt('Today is Fri, May 3, 2030. Request 00000000-e89b-12d3-a456-426614174000, try 1.');

  test('answers only a request that differs in nothing but normalised parts, and keeps the recording', async () => {
    const exchanges = [{ body: recorded, pieces: [['24 November', 0]] as const }];
    const url = await fixture.serve(exchanges, { normalise: ['date,uuid'] });
    const before = readFileSync(join(fixture.path(), 'cassette.jsonl'), 'utf8');
    expect(before).toContain('November 24, 2026');
    expect(await responseText(postRequest(url, request))).toBe('24 November');
    expect((await postRequest(url, request.replace('try 1', 'try 2'))).status).toBe(501);
    const [miss] = fixture.report()?.misses ?? [];
    expect(miss?.nearest[0]?.differences).toEqual([
      {
        at: 'body /messages/0/content',
        recorded: 'Today is <date>. Request <uuid>, try 1.',
        asked: 'Today is <date>. Request <uuid>, try 2.',
      },
    ]);
    expect(readFileSync(join(fixture.path(), 'cassette.jsonl'), 'utf8')).toBe(before);
  });

  test('compares dates and UUIDs without the option', async () => {
    const url = await fixture.serve([{ body: recorded }]);
    for (const changed of [
      recorded.replace('November 24', 'November 25'),
      recorded.replace('123e4567', '00000000'),
    ])
      expect((await postRequest(url, changed)).status).toBe(501);
  });

  test('suggests recording a miss with the same options', async () => {
    const options = { normalise: ['date', "pattern:run '[ab]"], volatile: ['/metadata/id'] };
    const url = await fixture.serve([{ body: recorded }], options);
    const miss = await (await postRequest(url, prompt('something else'))).json();
    expect(miss).toMatchObject({
      error: {
        again: expect.stringMatching(
          / --mode new --normalise date --normalise 'pattern:run '\\''\[ab\]' --volatile \/metadata\/id$/,
        ),
      },
    });
  });

  test('accepts kinds, pointers and a pattern with commas in one list', async () => {
    const createBody = (id: number, text: string) => JSON.stringify({ metadata: { id }, text });
    const recorded = [1, 2].map(() => ({ body: createBody(1, 'run a end 2024-05-01') }));
    for (const space of ['', ' ']) {
      const normalise = [`date,${space}/metadata/id,${space}pattern:run [ab]{1,2}`];
      const replayer = await startReplayer({
        cassettes: [await fixture.writeCassette(recorded, `c${space}`)],
        normalise,
      });
      const answer = await postRequest(replayer.url, createBody(2, 'run bb end 2031-12-09'));
      await replayer.close();
      expect(answer.status).toBe(200);
    }
  });

  test('normalises the fields of a form', async () => {
    const form = (text: string) =>
      `--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${text}\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const exchanges = [{ body: form('on 2024-05-01'), headers: Object.entries(headers) }];
    const url = await fixture.serve(exchanges, { normalise: ['date'] });
    expect((await postRequest(url, form('on 2031-12-09'), headers)).status).toBe(200);
    expect((await postRequest(url, form('at 2031-12-09'), headers)).status).toBe(501);
  });
});

test.each([
  ['dates', '"dates" cannot be normalised'],
  ['', '"" cannot be normalised'],
  ['/a~3', '"/a~3" cannot be normalised'],
  ['date,', '"" cannot be normalised'],
  ['pattern:', 'pattern: lacks its expression'],
  ['pattern:(', 'pattern:('],
  ['constructor', '"constructor" cannot be normalised'],
  ['__proto__', '"__proto__" cannot be normalised'],
])('the value "%s" is rejected with the message %s', (value, message) => {
  expect(() => parseNormalising([value])).toThrow(InvalidNormalising);
  expect(() => parseNormalising([value])).toThrow(message);
});
