import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import { makeAlias } from './alias.ts';
import { Redactor } from './redactor.ts';
import { findSecretShapes } from './secret-shapes.ts';

const VALUE = 'hVv9a-F0a8Zq_Qk3x7LmN2c5Rw1TtYb6Uj4D';
const MASK = `redacted_${'x'.repeat(VALUE.length - 9)}`;

const aliasOf = (secret: string) => Buffer.from(makeAlias(1, Buffer.from(secret))).toString();

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
  'a known secret in %s is replaced by its alias, and text that follows an alias is masked',
  (target) => {
    const known = 'sk-known-4u7RlQ2x9Zt1B';
    const redactor = new Redactor({ secrets: [known] });
    // A service can quote the alias of an earlier recording.
    const fill = (value: string) => target.replace('{{V}}', value);
    expect(redactor.redactTarget(fill(known))).toBe(fill('redacted_1_xxxxxxxxxxx'));
    expect(redactor.redactTarget(fill('redacted_1_xxx-tail'))).toBe(fill('redacted_xxxxxxxxxx'));
  },
);

test('a user name in a URL keeps its alias, unless a password too short for one follows', () => {
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

describe('keys in URLs', () => {
  const SIGNED = 'Sv4x9QzT2mB7kLw0RfA8';

  test('are replaced in fields that contain URLs, and searched for from then on', () => {
    const redactor = new Redactor();
    const url = `https://files.example/a?sp=r&sig=${SIGNED}`;
    const headers = redactor.redactHeaders([
      ['Location', url],
      ['Link', `<${url}>; rel="next", </v1/files?after=f&limit=2>; rel="last"`],
      ['Content-Location', 'https://somebody:pass@files.example/b#access_token=short'],
    ]);
    const alias = aliasOf(SIGNED);
    expect(headers).toEqual([
      ['Location', `https://files.example/a?sp=r&sig=${alias}`],
      [
        'Link',
        `<https://files.example/a?sp=r&sig=${alias}>; rel="next", </v1/files?after=f&limit=2>; rel="last"`,
      ],
      ['Content-Location', 'https://redacted_xxxx@files.example/b#access_token=rxxxx'],
    ]);
    expect(redactor.redactText(`see ${url}`)).toBe(`see https://files.example/a?sp=r&sig=${alias}`);
  });

  test('are replaced in fields before the one that reveals them', () => {
    const location = ['Location', `https://files.example/a?sig=${SIGNED}`] as const;
    const headers = new Redactor().redactHeaders([['ETag', SIGNED], location], 'service');
    expect(headers.flat().join()).not.toContain(SIGNED);
  });

  test('that are words are masked only in their place', () => {
    const redactor = new Redactor();
    for (const word of ['introduction-to-cats', 'IntroductionToCats2024', 'report-2024-q3-final', 'cats']) {
      expect(redactor.redactTarget(`/v1/files?key=${word}&limit=2`)).not.toContain(word);
      expect(redactor.redactText(`read ${word}`)).toBe(`read ${word}`);
    }
  });

  test('are searched for whatever they look like if the name leaves no doubt', () => {
    const names =
      'api_key api-key apikey X-Api-Key access_token auth-token refresh_token client_secret secret password';
    for (const name of names.split(' ')) {
      for (const value of ['my-private-llm-key', '0d9b1f6e-6a55-4c1e-9d0f-2b7f0a1c3e4d', 'correct horse 1']) {
        const redactor = new Redactor();
        redactor.redactTarget(`/v1/files?limit=2&${name}=${encodeURIComponent(value)}`);
        expect(redactor.redactText(`you sent ${value}`)).toBe(`you sent ${aliasOf(value)}`);
      }
    }
  });

  test('are not mistaken for new ones if they are aliases already', () => {
    const redactor = new Redactor();
    const redacted = redactor.redactTarget('/v1/files?api_key=my-private-llm-key');
    expect(redactor.redactTarget(redacted)).toBe(redacted);
    expect(redactor.learnedCount).toBe(1);
  });

  test('are searched for after many signatures', () => {
    const redactor = new Redactor();
    for (let n = 0; n < 65; n += 1) redactor.redactTarget(`/v1/images?sig=${SIGNED}${n}x`);
    redactor.redactTarget('/v1/files?api_key=my-private-llm-key');
    expect(redactor.redactText('my-private-llm-key')).not.toContain('private');
  });

  test('are searched for up to a limit; a remark says if there are more', () => {
    const redactor = new Redactor();
    const key = (n: number) => `${SIGNED}${n}x`;
    for (let n = 0; n < 65; n += 1) {
      expect(redactor.redactTarget(`/v1/images?sig=${key(n)}`)).not.toContain(SIGNED);
    }
    expect(redactor.secrets).toHaveLength(64);
    expect(redactor.redactText(key(0))).not.toContain(SIGNED);
    expect(redactor.takeRemarks()).toEqual([expect.stringContaining('64 keys came in URLs')]);
  });
});
