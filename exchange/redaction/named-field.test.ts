import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { filterPieces } from '../testing/pieces.ts';
import { Redactor } from './redactor.ts';
import { SECRET_FIELDS } from './secret-names.ts';

const FORM: HeaderPairs = [['Content-Type', 'application/x-www-form-urlencoded']];

function redact(
  redactor: Redactor,
  text: string,
  headers: HeaderPairs = [],
  cuts: readonly number[] = [],
): string {
  const bytes = Buffer.from(text);
  const redacted = filterPieces(redactor.createBodyFilter(headers), bytes, cuts);
  expect(redacted.length).toBe(bytes.length);
  return redacted.toString();
}

describe('the value of a field that is named like a secret', () => {
  test.each([
    ['{"password":"hunter2"}', '{"password":"rxxxxxx"}'],
    ['{ "apiKey" : "abc def" }', '{ "apiKey" : "rxxxxxx" }'],
    ['{"OPENAI_API_KEY":"abcdefg","n":1}', '{"OPENAI_API_KEY":"rxxxxxx","n":1}'],
    ['{"client_secret":"my own secret words"}', '{"client_secret":"redacted_1_xxxxxxxx"}'],
    ['{"authorization":"Bearer my-own-key-0042"}', '{"authorization":"Bearer redacted_1_xxxx"}'],
    ['{"password":"a\\"b\\u0041"}', '{"password":"redacted_x"}'],
    [
      '{"arguments":"{\\"password\\":\\"hunter2\\",\\"n\\":1}"}',
      '{"arguments":"{\\"password\\":\\"rxxxxxx\\",\\"n\\":1}"}',
    ],
    ['name="api_key"\r\n\r\nabcdefg\r\n--b', 'name="api_key"\r\n\r\nrxxxxxx\r\n--b'],
  ])('is replaced, unless fields are kept, in %s', (text, expected) => {
    expect(redact(new Redactor(), text)).toBe(expected);
    expect(redact(new Redactor({ keepFields: true }), text)).toBe(text);
  });

  test('is masked and learned in URL-encoded forms, and only there, unless fields are kept', () => {
    // `client_secret` is first, because after an ampersand it is masked as a URL parameter in any text.
    const text = 'client_secret=my%20words%20of%20old&grant=x&password=hunter2';
    const redactor = new Redactor();
    expect(redact(redactor, text, FORM)).toBe('client_secret=redacted_xxxxxxxxxxxx&grant=x&password=rxxxxxx');
    expect(redactor.redactText('see my words of old')).toBe('see redacted_1_xxxx');
    expect(redact(new Redactor(), text)).toBe(text);
    expect(redact(new Redactor({ keepFields: true }), text, FORM)).toBe(text);
  });

  test.each(['lower', 'upper'])(
    'is masked for every name in %s case, however many letters precede the name',
    (letters) => {
      for (const field of SECRET_FIELDS) {
        const name = letters === 'upper' ? field.toString().toUpperCase() : field.toString();
        const members = Array.from({ length: 8 }, (_, n) => `"${'x'.repeat(n)}${name}":"hunter no ${n}"`);
        const text = `{${members.join()}}`;
        expect([name, redact(new Redactor(), text).includes('hunter no')]).toEqual([name, false]);
      }
    },
  );

  test('is known from then on, unless it is short or a word', () => {
    const redactor = new Redactor();
    redact(redactor, '{"password":"correct horse 1","secret":"h3llo","api_key":"extraordinary"}');
    expect(redact(redactor, 'h3llo, extraordinary correct horse 1')).toBe(
      'h3llo, extraordinary redacted_1_xxxx',
    );
  });

  test.each([
    ['{"password":"\xe9\xe9\xe9","n":"abcdefghijkl"}', '{"password":"rxx","n":"abcdefghijkl"}', []],
    ['password=\xe9\xe9\xe9', 'password=rxx', FORM],
    ['name="password"\r\n\r\n\xe9\xe9\xe9\r\n--b', 'name="password"\r\n\r\nrxx\r\n--b', []],
  ])('is masked at the same length if it is not UTF-8, in %j', (text, expected, headers) => {
    const filter = new Redactor().createBodyFilter(headers);
    expect(filterPieces(filter, Buffer.from(text, 'latin1')).toString('latin1')).toBe(expected);
  });

  test('is masked if it spans the deltas of a stream', () => {
    const deltas = ['{"pass', 'word": "hun', 'ter2", "n": 1}'].map(
      (d) => `data: ${JSON.stringify({ d })}\n\n`,
    );
    const filter = new Redactor().createStreamFilter();
    const output = Buffer.concat([filter.push(Buffer.from(deltas.join(''))), filter.finish()]).toString();
    const texts = [...output.matchAll(/^data: (.*)$/gm)].map(([, data = '{}']) => JSON.parse(data).d);
    expect(texts.join('')).toBe('{"password": "rxxxxxx", "n": 1}');
  });

  test('is masked the same, however the body is split', () => {
    const text =
      '{"a":[{"user_password" : "x y z"},{"id_token":"eyJ-not-a-real-token-1"}],"password":{"type":"string"}}';
    const expected = redact(new Redactor(), text);
    expect(expected).not.toContain('x y z');
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 5 }), (cuts) => {
        expect(redact(new Redactor(), text, [], cuts)).toBe(expected);
      }),
    );
  });
});

test('fields with other names, and values that are empty or not strings, are unchanged', () => {
  const texts = [
    '{"token":" the","logprob":-0.1,"max_tokens":5,"key":"value","secrets":"x"}',
    '{"type":"object","properties":{"password":{"type":"string"},"secret":null}}',
    '{"content":"the password: \\"x\\" is not one"}',
    'password=os.environ["PASSWORD"]',
    '{"password":""}',
  ];
  for (const text of texts) expect(redact(new Redactor(), text)).toBe(text);
});

test('redacted values are not redacted again', () => {
  const redactor = new Redactor();
  const redacted = redact(redactor, '{"password":"correct horse 1","api_key":"abc"}');
  expect(redact(redactor, redacted)).toBe(redacted);
  expect(redactor.learnedCount).toBe(1);
});

test('a value that deltas split is replaced in each of them, and the events stay separate', () => {
  const deltas = ['{"password": "correct', ' horse ', '1", "n": 1} x'];
  const stream = Buffer.from(deltas.map((delta) => `data: ${JSON.stringify({ delta })}\n\n`).join(''));
  const output = filterPieces(new Redactor().createStreamFilter(), stream).toString();
  const redactedDeltas = [...output.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data).delta,
  );
  expect(redactedDeltas).toEqual(['{"password": "redacte', 'd_1_xxx', 'x", "n": 1} x']);
});

test('a value that does not end within its body or delta is masked, and does not become known', () => {
  expect(redact(new Redactor(), '{"password":"hunter2 and')).toBe('{"password":"redacted_xx');
  const redactor = new Redactor();
  const stream = Buffer.from('data: {"d":"{\\"password\\": \\"correct horse"}\n\n');
  const output = filterPieces(redactor.createStreamFilter(), stream).toString();
  expect(output).toBe('data: {"d":"{\\"password\\": \\"redacted_xxxx"}\n\n');
  expect(redactor.learnedCount).toBe(0);
});

test('text that only resembles a field named like a secret passes unchanged', () => {
  const texts = [
    'He wrote "password": "x\n\nand more words, "and" so on',
    'const a = "password";\r\nconst b = 1;\r\n\r\nmore\r\n--x',
    '{"a":"{\\"secret\\": \\"abc","b":"\\" c"}',
    `"password${'\\'.repeat(2000)}": "x"`,
    `"password"${' '.repeat(2000)}: "x"`,
  ];
  for (const text of texts) expect(redact(new Redactor(), text)).toBe(text);
});
