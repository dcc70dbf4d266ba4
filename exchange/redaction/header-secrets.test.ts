import { describe, expect, test } from 'vitest';
import { secretsIn } from './given-headers.ts';
import { Redactor } from './redactor.ts';

describe('credentials in other places are searched for as the bearer is', () => {
  const VALUE = 'my-private-llm-key';
  test.each<[string, string, string]>([
    ['a cookie', 'Cookie', `theme=dark; session=${VALUE}`],
    ['a cookie that is set', 'Set-Cookie', `session="${VALUE}"; Path=/; HttpOnly`],
    ['a subscription key', 'Ocp-Apim-Subscription-Key', VALUE],
    ['a key of another service', 'X-Functions-Key', VALUE],
    [
      'a password of the scheme Basic',
      'Authorization',
      `Basic ${Buffer.from(`ann:${VALUE}`).toString('base64')}`,
    ],
    ['a password in a location', 'Location', `https://ann:${VALUE}@files.example/x`],
    ['a key in the query of a location', 'Location', `https://files.example/x?subscription-key=${VALUE}`],
  ])('%s', (_, name, value) => {
    const redactor = new Redactor();
    const [pair] = redactor.headers([[name, value]]);
    expect(pair?.[1]).not.toContain(VALUE);
    expect(pair?.[1].length).toBe(value.length);
    expect(redactor.text(`you sent ${VALUE}`)).not.toContain(VALUE);
  });

  test('a code or a session in a location or a path', () => {
    const code = 'Sv4x9QzT2mB7kLw0RfA8';
    for (const place of [`/callback?state=x&code=${code}`, `/v1/x;jsessionid=${code}?a=b`]) {
      const redactor = new Redactor();
      expect(redactor.target(place)).not.toContain(code);
      expect(redactor.text(`see ${code}`)).not.toContain(code);
      const located = new Redactor();
      expect(located.headers([['Location', `https://x.example${place}`]])[0]?.[1]).not.toContain(code);
      expect(located.text(`see ${code}`)).not.toContain(code);
    }
  });

  test('many cookies that are set do not keep a bearer from being searched for', () => {
    const redactor = new Redactor();
    for (let n = 0; n < 300; n += 1) redactor.headers([['Set-Cookie', `a=cookie-value-${n}`]]);
    redactor.headers([['Authorization', `Bearer ${VALUE}`]]);
    expect(redactor.text(VALUE)).not.toContain(VALUE);
    expect(redactor.remarks()).toEqual([expect.stringContaining('set as cookies')]);
  });
});

describe('the credential of an authentication header is searched for, whatever its scheme', () => {
  const VALUE = 'q7-private-llm-key-42';
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  test.each<[string, string]>([
    ['Authorization', `Api-Key ${VALUE}`],
    ['Authorization', `Key ${VALUE}`],
    ['Authorization', `OAuth ${VALUE}`],
    ['Authorization', `SSWS ${VALUE}`],
    ['Authorization', `GenieKey ${VALUE}`],
    ['Authorization', `Some-Scheme-2 ${VALUE}`],
    ['Authorization', `Token token=${VALUE}`],
    ['Authorization', `Token token="${VALUE}", email="a@b.example"`],
    ['Authorization', `Some-Scheme Credential=abc/20260101, Signature=${VALUE}`],
    ['Authorization', `Bearer Bearer ${VALUE}`],
    ['Authorization', `Bearer bearer  Bearer ${VALUE}`],
    ['Authorization', `Some-Scheme Bearer ${VALUE}`],
    ['Authorization', `Bearer Some-Scheme ${VALUE}`],
    ['Authorization', basic(`${VALUE}:`)],
    ['Authorization', basic(`${VALUE}:x`)],
    ['Authorization', basic(`:${VALUE}`)],
    ['Proxy-Authorization', `Some-Scheme ${VALUE}`],
    ['apikey', VALUE],
    ['x-apikey', VALUE],
    ['x-apitoken', VALUE],
    ['X-ApiKey-V2', VALUE],
    ['api_key', VALUE],
    ['CF-Access-Client-Id', VALUE],
    ['CF-Access-Client-Secret', VALUE],
    ['X-Authentication', VALUE],
    ['X-Cachet-Token', VALUE],
    ['Private-Token', VALUE],
    ['Location', `https://${VALUE}:x-oauth-basic@files.example/x`],
  ])('%s: %s', (name, value) => {
    const redactor = new Redactor();
    const [pair] = redactor.headers([[name, value]]);
    expect(pair?.[1]).not.toContain(VALUE);
    expect(pair?.[1].length).toBe(value.length);
    expect(redactor.text(`you sent ${VALUE}`)).not.toContain(VALUE);
    expect(secretsIn([[name, value]]).join(' ')).toContain(VALUE);
  });

  test('short user name and password of the scheme Basic are masked together', () => {
    const redactor = new Redactor();
    redactor.headers([['Authorization', basic('ann-lee:hunter2')]]);
    expect(redactor.text('for ann-lee:hunter2')).not.toContain('hunter2');
  });

  test('names that end like a credential and grant nothing keep their values', () => {
    const fields = [
      'Idempotency-Key',
      'Sec-WebSocket-Key',
      'X-Cache-Key',
      'X-Next-Page-Token',
      'X-Sync-Token',
    ].map((name) => [name, 'a-plain-value'] as const);
    const redactor = new Redactor();
    expect(redactor.headers(fields)).toEqual(fields);
    expect(redactor.text('a-plain-value')).toBe('a-plain-value');
  });

  test('a realm or an algorithm is not taken for a credential', () => {
    const redactor = new Redactor();
    redactor.headers([['Authorization', 'Digest realm="models-of-team-7", uri="/v1/models/7", nc=00000001']]);
    expect(redactor.text('models-of-team-7 /v1/models/7')).toBe('models-of-team-7 /v1/models/7');
  });
});
