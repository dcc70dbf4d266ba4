import { describe, expect, test } from 'vitest';
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
