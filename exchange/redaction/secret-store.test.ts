import { describe, expect, test } from 'vitest';
import { Redactor } from './redactor.ts';

const KEY = 'q7-private-llm-key-42';

function filterBody(redactor: Redactor, body: string): string {
  const filter = redactor.createBodyFilter();
  return Buffer.concat([filter.push(Buffer.from(body)), filter.finish()]).toString();
}

describe('a flood of secrets from a service does not displace the key of a later client', () => {
  test('if they are password fields in a body', () => {
    const redactor = new Redactor();
    const users = Array.from({ length: 300 }, (_, n) => ({ password: `pass-word-${n}-${n}` }));
    expect(filterBody(redactor, JSON.stringify(users))).not.toContain('pass-word');
    redactor.redactHeaders([['Authorization', `Bearer ${KEY}`]]);
    expect(filterBody(redactor, `you sent ${KEY}`)).not.toContain(KEY);
    expect(redactor.takeRemarks()).toEqual([
      expect.stringContaining('body fields that are named like secrets'),
    ]);
  });

  test('if they are credentials in header fields', () => {
    const redactor = new Redactor();
    for (let n = 0; n < 300; n += 1)
      redactor.redactHeaders([['X-Auth-Token', `token-${n}-of-service`]], 'service');
    redactor.redactHeaders([['Authorization', `Bearer ${KEY}`]]);
    expect(filterBody(redactor, `you sent ${KEY}`)).not.toContain(KEY);
    expect(redactor.takeRemarks()).toEqual([expect.stringContaining('credentials of the service')]);
  });

  test('if they are cookies that it sets', () => {
    const redactor = new Redactor();
    for (let n = 0; n < 300; n += 1) redactor.redactHeaders([['Set-Cookie', `a=cookie-value-${n}`]]);
    redactor.redactHeaders([['Authorization', `Bearer ${KEY}`]]);
    expect(filterBody(redactor, `you sent ${KEY}`)).not.toContain(KEY);
    expect(redactor.takeRemarks()).toEqual([expect.stringContaining('set as cookies')]);
  });
});

test('a field that a service sent counts as the key of a client once a client sends it', () => {
  const redactor = new Redactor();
  for (let n = 0; n < 300; n += 1)
    redactor.redactHeaders([['X-Auth-Token', `token-${n}-of-service`]], 'service');
  redactor.redactHeaders([['X-Auth-Token', KEY]], 'service');
  expect(filterBody(redactor, KEY)).toBe(KEY);
  redactor.redactHeaders([['X-Auth-Token', KEY]]);
  expect(filterBody(redactor, KEY)).not.toContain(KEY);
});
