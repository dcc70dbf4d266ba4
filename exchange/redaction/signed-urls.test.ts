import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import { Redactor } from './redactor.ts';
import { findSecretShapes } from './secret-shapes.ts';

const VALUE = 'hVv9a-F0a8Zq_Qk3x7LmN2c5Rw1TtYb6Uj4D';
const MASK = `redacted_${'x'.repeat(VALUE.length - 9)}`;

const NAMES = [
  ...['x-oss-signature', 'x-oss-credential', 'x-oss-security-token', 'security-token'],
  ...['X-Goog-Signature', 'X-Goog-Credential', 'X-Goog-Security-Token'],
  ...['X-Amz-Signature', 'X-Amz-Credential', 'X-Amz-Security-Token'],
  ...['X-Tos-Signature', 'X-Tos-Credential', 'X-Tos-Security-Token'],
  ...['X-Obs-Signature', 'X-Obs-Credential', 'x-obs-security-token'],
  ...['q-signature', 'X-Cos-Signature', 'x-cos-security-token', 'x-bce-security-token'],
  ...['X-Kss-Signature', 'x-jdcloud-security-token', 'temp_url_sig', 'sig'],
  ...['Signature', 'Key-Pair-Id', 'sign', 'auth_key'],
];

function nestUrl(url: string, depth: number): string {
  let text = url;
  for (let times = 0; times < depth; times += 1) text = `https://p.example/?u=${encodeURIComponent(text)}`;
  return text;
}

function redactBody(text: string, redactor = new Redactor(), cuts: readonly number[] = []): string {
  const filter = redactor.createBodyFilter([['content-type', 'application/json']]);
  return filterPieces(filter, Buffer.from(text), cuts).toString();
}

describe.each(NAMES)('the value of %s is masked', (name) => {
  const url = (value: string) =>
    `https://store.example/a.png?OSSAccessKeyId=ID&${name}=${value}&Expires=17#end`;
  const path = (text: string) => text.replace(/https:\/\/[^/]*/, '');

  test.each([0, 1, 2, 3])('in a URL that is nested %d levels deep in other URLs', (depth) => {
    const [signed, masked] = [nestUrl(url(VALUE), depth), nestUrl(url(MASK), depth)];
    const expectMasked = (text: string | undefined, expected: string) =>
      expect(text?.replace(/redacted_\d_x/, 'redacted_xxx')).toBe(expected);
    expectMasked(new Redactor().redactTarget(path(signed)), path(masked));
    expectMasked(new Redactor().redactHeaders([['Location', signed]])[0]?.[1], masked);
    expectMasked(
      new Redactor().redactHeaders([['Link', `<${signed}>; rel="next"`]])[0]?.[1],
      `<${masked}>; rel="next"`,
    );
    expectMasked(redactBody(JSON.stringify({ url: signed, n: 1 })), JSON.stringify({ url: masked, n: 1 }));
    expect(redactBody(JSON.stringify({ url: masked }))).toBe(JSON.stringify({ url: masked }));
  });
});

test('a scan finds the signatures of object stores', () => {
  for (const name of [
    'x-oss-signature',
    'x-obs-security-token',
    'q-signature',
    'X-Tos-Signature',
    'temp_url_sig',
  ])
    expect(findSecretShapes(`{"url":"https://s.example/a?${name}=${VALUE}"}`)).toContain('signed-url');
});

test('a URL within URLs is masked the same, however the body is split', () => {
  const text = JSON.stringify(
    [1, 2, 3].map((depth) => nestUrl(`https://s.example/?sig=${VALUE}&n=1`, depth)),
  );
  const expected = text.replaceAll(VALUE, MASK);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      expect(redactBody(text, new Redactor(), cuts)).toBe(expected);
    }),
  );
});

describe.each([1, 2, 3])('a secret that was percent-encoded %d times', (times) => {
  const secret = 'sk-abcd_1234/efgh+5678';
  let encoded = secret;
  for (let n = 0; n < times; n += 1) encoded = encodeURIComponent(encoded);

  test('in a URL is known without its escapes', () => {
    const redactor = new Redactor();
    redactor.redactTarget(`/v1/x?api_key=${encoded}`);
    expect(redactor.secrets).toEqual([secret]);
  });

  test('in a form is masked, and known without its escapes', () => {
    const redactor = new Redactor();
    const filter = redactor.createBodyFilter([['content-type', 'application/x-www-form-urlencoded']]);
    const output = filterPieces(filter, Buffer.from(`api_key=${encoded}&n=1`));
    expect(output.toString()).toBe(`api_key=redacted_${'x'.repeat(encoded.length - 9)}&n=1`);
    expect(redactor.secrets).toEqual([secret]);
  });

  test('is masked in a body if it is known', () => {
    const output = redactBody(`see ${encoded}`, new Redactor({ secrets: [secret] }));
    expect(output).not.toContain('abcd');
    expect(output).not.toContain('5678');
  });
});

test('a value is masked in a parameter named as a secret even if it consists of words', () => {
  for (const value of [
    'mysecretkeyvalue',
    'tokenofmyfriend',
    'exampleofpassword',
    'my-secret-fruit',
    'samplesecretvalue',
  ])
    expect(redactBody(`"/v1/x?api_key=${value}&n=1"`)).not.toContain(value);
});

test.each(['/v1/x?sig={{V}}', '/v1/x?key={{V}}&n=1'])(
  'text that follows a known secret in %s is masked',
  (target) => {
    const known = 'sk-known-4u7RlQ2x9Zt1B';
    const redactor = new Redactor({ secrets: [known] });
    // A service can quote the alias of an earlier recording.
    const fill = (value: string) => target.replace('{{V}}', value);
    expect(redactor.redactTarget(fill(known))).toBe(fill('redacted_1_xxxxxxxxxxx'));
    expect(redactor.redactTarget(fill('redacted_1_xxx-tail'))).toBe(fill('redacted_xxxxxxxxxx'));
  },
);

test('a short password in a URL is masked after a user name that is a known secret', () => {
  const locate = (url: string) => new Redactor().redactHeaders([['Location', url]])[0]?.[1];
  expect(locate('https://sk-user-abcdef12:hunter2@a.example/')).toBe(
    'https://redacted_xxxxxxxxxxxxxxx@a.example/',
  );
  expect(locate('https://sk-user-abcdef12:long-password-1@a.example/')).toBe(
    'https://redacted_1_xxxxx:redacted_2_xxxx@a.example/',
  );
  expect(locate('https://sk-user-abcdef12:@a.example/')).toBe('https://redacted_1_xxxxx:@a.example/');
});

test('user name and password in a URL of a header field are masked, even with an at sign and without a scheme', () => {
  const redact = (name: string, value: string) => new Redactor().redactHeaders([[name, value]])[0]?.[1];
  expect(redact('Location', 'https://ann:hunter2@home@a.example/b')).toBe(
    'https://redacted_xxxxxxx@a.example/b',
  );
  expect(redact('Location', '//ann:hunter2@a.example/b')).toBe('//redacted_xx@a.example/b');
  expect(redact('Link', '<//ann:hunter2@a.example>; rel="next"')).toBe(
    '<//redacted_xx@a.example>; rel="next"',
  );
  const unchanged = '<https://a.example>;rel=author,<mailto:ann@b.example>';
  expect(redact('Link', unchanged)).toBe(unchanged);
});

test('a URL without a signature is unchanged, however deep it is nested', () => {
  for (const url of [
    'https://a.example/?x-oss-process=image&x-amz-date=2026&q-ak=AKID&x-cos-meta=a',
    '/v1/x?design=ab&resign=1',
  ])
    for (const depth of [0, 1, 2, 3])
      expect(redactBody(JSON.stringify(nestUrl(url, depth)))).toBe(JSON.stringify(nestUrl(url, depth)));
});
