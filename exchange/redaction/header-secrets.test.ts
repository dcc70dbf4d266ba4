import { describe, expect, test } from 'vitest';
import { secretsInHeaders } from './added-headers.ts';
import { Redactor } from './redactor.ts';

describe('a secret in a header field', () => {
  const VALUE = 'my-private-llm-key';
  test.each<[string, string, string]>([
    ['a cookie', 'Cookie', `theme=dark; session=${VALUE}`],
    // Takes minutes if the spaces are matched by a regular expression that backtracks.
    ['a cookie after one with many spaces', 'Cookie', `theme=${' '.repeat(5_000)}"x"y; session=${VALUE}`],
    ['a cookie that is set', 'Set-Cookie', `session="${VALUE}"; Path=/; HttpOnly`],
    ['a cookie with one quotation mark', 'Set-Cookie', `session="${VALUE}; Path=/`],
    ['a subscription key', 'Ocp-Apim-Subscription-Key', VALUE],
    ['a key of another service', 'X-Functions-Key', VALUE],
    ['a Basic password', 'Authorization', `Basic ${Buffer.from(`ann:${VALUE}`).toString('base64')}`],
    ['a token of a gateway', 'Cf-Access-Jwt-Assertion', VALUE],
    ['a bearer under any name', 'X-Vendor', `Bearer ${VALUE}`],
    ['a password in a location', 'Location', `https://ann:${VALUE}@files.example/x`],
    ['a key in the query of a location', 'Location', `https://files.example/x?subscription-key=${VALUE}`],
  ])('%s is searched for like a bearer token', (_, name, value) => {
    const redactor = new Redactor();
    const [pair] = redactor.redactHeaders([[name, value]]);
    expect(pair?.[1]).not.toContain(VALUE);
    expect(pair?.[1].length).toBe(value.length);
    expect(redactor.redactText(`you sent ${VALUE}`)).not.toContain(VALUE);
  });

  test('a password with a colon in a location is searched for', () => {
    const redactor = new Redactor();
    redactor.redactHeaders([['Location', `https://ann:a:${VALUE}@files.example/x`]]);
    expect(redactor.redactText(`you sent a:${VALUE}`)).not.toContain(VALUE);
  });

  test('an alias does not count as a new secret, however short its secret was', () => {
    const headers = ['first-long-key-1', 'abc123', 'key', '/ab/cd', 'ab/cdefghijklmnop'].map(
      (key) => ['Authorization', `Bearer ${key}`] as const,
    );
    const aliases = new Redactor().redactHeaders(headers);
    expect(aliases.map(([, value]) => value)).toEqual([
      'Bearer redacted_1_xxxxx',
      'Bearer r2xxxx',
      'Bearer r3x',
      'Bearer /4x/xx',
      'Bearer re/acted_5_xxxxxx',
    ]);
    const redactor = new Redactor();
    const masks = redactor.redactHeaders(aliases);
    expect(masks.map(([, value]) => value.length)).toEqual(headers.map(([, value]) => value.length));
    expect(redactor.redactHeaders(masks)).toEqual(masks);
    expect([redactor.learnedCount, redactor.takeRemarks()]).toEqual([0, []]);
  });

  test('an alias without room for its number does not count as a new secret', () => {
    const keys = [...Array.from({ length: 9 }, (_, n) => `key${n}`), 'ab', 'a/'];
    const redact = (redactor: Redactor, values: readonly string[]) =>
      redactor
        .redactHeaders(values.map((value) => ['Authorization', `Bearer ${value}`] as const))
        .map(([, value]) => value.slice('Bearer '.length));
    const aliases = redact(new Redactor(), keys).slice(-3);
    expect(aliases).toEqual(['r9xx', 'xx', 'x/']);
    const redactor = new Redactor();
    redact(redactor, aliases);
    expect(redactor.learnedCount).toBe(0);
  });

  test('a secret in the name of a field is replaced, so that no service can quarantine an exchange with it', () => {
    const redactor = new Redactor({ secrets: [VALUE] });
    const [pair] = redactor.redactHeaders([[`x-${VALUE}`, 'a']], 'service');
    expect(pair?.[0]).toBe('x-redacted_1_xxxxxxx');
  });

  test('a code or a session in a location or a path is searched for', () => {
    const code = 'Sv4x9QzT2mB7kLw0RfA8';
    for (const place of [`/callback?state=x&code=${code}`, `/v1/x;jsessionid=${code}?a=b`]) {
      const redactor = new Redactor();
      expect(redactor.redactTarget(place)).not.toContain(code);
      expect(redactor.redactText(`see ${code}`)).not.toContain(code);
      const located = new Redactor();
      expect(located.redactHeaders([['Location', `https://x.example${place}`]])[0]?.[1]).not.toContain(code);
      expect(located.redactText(`see ${code}`)).not.toContain(code);
    }
  });
});

describe('the credential of a header field', () => {
  const VALUE = 'q7-private-llm-key-42';
  const encodeBasic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
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
    ['Authorization', encodeBasic(`${VALUE}:`)],
    ['Authorization', encodeBasic(`${VALUE}:x`)],
    ['Authorization', encodeBasic(`:${VALUE}`)],
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
  ])('is searched for, whatever the scheme: %s: %s', (name, value) => {
    const redactor = new Redactor();
    const [pair] = redactor.redactHeaders([[name, value]]);
    expect(pair?.[1]).not.toContain(VALUE);
    expect(pair?.[1].length).toBe(value.length);
    expect(redactor.redactText(`you sent ${VALUE}`)).not.toContain(VALUE);
    expect(secretsInHeaders([[name, value]]).join(' ')).toContain(VALUE);
  });

  test('is searched for as user name and password together if the password of the scheme Basic is short', () => {
    const redactor = new Redactor();
    redactor.redactHeaders([['Authorization', encodeBasic('ann-lee:hunter2')]]);
    expect(redactor.redactText('for ann-lee:hunter2')).not.toContain('hunter2');
  });

  test('is not assumed in fields whose names end like one, but that grant nothing', () => {
    const fields = [
      'Idempotency-Key',
      'Sec-WebSocket-Key',
      'X-Cache-Key',
      'X-Next-Page-Token',
      'X-Sync-Token',
    ].map((name) => [name, 'a-plain-value'] as const);
    const redactor = new Redactor();
    expect(redactor.redactHeaders(fields)).toEqual(fields);
    expect(redactor.redactText('a-plain-value')).toBe('a-plain-value');
  });

  test('does not include the realm or the URI', () => {
    const redactor = new Redactor();
    redactor.redactHeaders([
      ['Authorization', 'Digest realm="models-of-team-7", uri="/v1/models/7", nc=00000001'],
    ]);
    expect(redactor.redactText('models-of-team-7 /v1/models/7')).toBe('models-of-team-7 /v1/models/7');
  });
});
