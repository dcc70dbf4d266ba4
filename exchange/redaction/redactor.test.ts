import { describe, expect, test } from 'vitest';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Canary_42+abc/XYZ';
const ALIAS = 'redacted_1_xxxxx/xxx';

describe('headers', () => {
  test('keep what cannot be a secret, the scheme of a credential, and the length of the rest', () => {
    const redactor = new Redactor();
    expect(
      redactor.redactHeaders([
        ['Authorization', `Bearer ${SECRET}`],
        ['Content-Type', 'application/json'],
        ['X-Unknown', 'who knows what'],
        ['X-Unknown', '12, v2; us-east-1; Mon, 02 Jan 2034 03:04:05 GMT; a=true'],
        ['X-Unknown', 'grant 0a9Z8b7Y6c5X'],
        ['X-User', 'someone'],
        ['Set-Cookie', 'session=0a9Z8b7Y; Path=/v1; Max-Age=60; HttpOnly'],
        ['Set-Cookie', 'bare'],
        ['Cookie', 'session=1'],
        ['X-Assay-Scope', `mine ${SECRET}`],
      ]),
    ).toEqual([
      ['Authorization', `Bearer ${ALIAS}`],
      ['Content-Type', 'application/json'],
      ['X-Unknown', 'who knows what'],
      ['X-Unknown', '12, v2; us-east-1; Mon, 02 Jan 2034 03:04:05 GMT; a=true'],
      ['X-Unknown', 'redacted_xxxxxxxxx'],
      ['X-User', 'rxxxxxx'],
      ['Set-Cookie', 'session=rxxxxxxx; Path=/v1; Max-Age=60; HttpOnly'],
      ['Set-Cookie', 'rxxx'],
      ['Cookie', 'redacted_'],
      ['X-Assay-Scope', `mine ${ALIAS}`],
    ]);
  });

  test('make their credentials known for everything that follows', () => {
    const redactor = new Redactor();
    redactor.redactHeaders([['x-api-key', SECRET]]);
    expect(redactor.redactText(`echo ${SECRET}`)).toBe(`echo ${ALIAS}`);
    expect(redactor.learnedCount).toBe(1);
  });

  test('with credentials that are short, ordinary words or placeholders are masked only there', () => {
    for (const word of ['test', 'ollama', 'authentication', 'dummy-api-key']) {
      const redactor = new Redactor();
      const [pair] = redactor.redactHeaders([['Authorization', `Bearer ${word}`]]);
      expect(pair?.[1]).not.toContain(word);
      expect(redactor.redactText(`a ${word} of ${word}s`)).toBe(`a ${word} of ${word}s`);
      expect(redactor.takeRemarks()).toHaveLength(1);
    }
  });
});

test('secrets and values of parameters named like keys are replaced in a target', () => {
  const redactor = new Redactor({ secrets: [SECRET] });
  expect(redactor.redactTarget(`/v1/files/${encodeURIComponent(SECRET)}?limit=2&api_key=abc`)).toBe(
    '/v1/files/redacted_1_x%78xxx%2fxxx?limit=2&api_key=rxx',
  );
});

test('values of parameters named like keys are replaced in text after the target that contains them', () => {
  const redactor = new Redactor();
  redactor.redactTarget('/v1/files?token=lk-4u7RlQ2x9Zt1B');
  expect(redactor.redactText('lk-4u7RlQ2x9Zt1B')).toBe('redacted_1_xxxxx');
  redactor.redactTarget('/v1/files?api_key=Learned-from-url-1');
  expect(redactor.redactText('Learned-from-url-1')).toBe('redacted_2_xxxxxxx');
});

test('aliases are equal for equal secrets, and numbered by first occurrence', () => {
  const redactor = new Redactor({ secrets: ['Other-secret-02', 'First-secret-01'] });
  expect(redactor.redactText('First-secret-01 Other-secret-02 First-secret-01')).toBe(
    'redacted_1_xxxx redacted_2_xxxx redacted_1_xxxx',
  );
});

test('a secret that is the prefix of another does not hide the longer one', () => {
  const redactor = new Redactor({ secrets: ['Prefix-secret-1', 'Prefix-secret-1-longer'] });
  expect(redactor.redactText('Prefix-secret-1-longer Prefix-secret-1-l')).toBe(
    'redacted_1_xxxxxxxxxxx redacted_2_xxxx-l',
  );
});
