import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import { makeAlias } from './alias.ts';
import { Redactor } from './redactor.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (content: Uint8Array) => new TextDecoder().decode(content);
const SECRET = 'sk-Canary_42+abc/XYZ';
const ALIAS = decode(makeAlias(1, encode(SECRET)));

const secret = fc
  .tuple(
    fc.string({ minLength: 12, maxLength: 40, unit: fc.constantFrom(...'abcXYZ019-_.+/=') }),
    fc.nat(999),
  )
  .map(([body, n]) => `${body}${n}Q`);
const unusualSecret = fc
  .string({
    minLength: 12,
    maxLength: 24,
    unit: fc.constantFrom('a', 'Z', '"', '\\', '/', '%', '\n', 'é', '😀'),
  })
  .map((body) => `${body}7q`);
const surroundingText = fc.string({ maxLength: 30 });

function redact(redactor: Redactor, content: Uint8Array, cuts: readonly number[]): Uint8Array {
  return filterPieces(redactor.createBodyFilter(), content, cuts);
}

const cuts = fc.array(fc.nat(400), { maxLength: 6 });
const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');

const spellings: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'percent-encoded where needed': (secret) => encodeURIComponent(secret),
  'percent-encoded throughout': (secret) => [...secret].map((c) => `%${hex(c)}`).join(''),
  'JSON-escaped throughout': (secret) => [...secret].map((c) => `\\u00${hex(c)}`).join(''),
  'with escaped slashes': (secret) => secret.replaceAll('/', '\\/'),
};

describe.each(Object.entries(spellings))('a secret %s', (_, spell) => {
  test('is replaced at the same length, however the stream is split', () => {
    fc.assert(
      fc.property(secret, surroundingText, surroundingText, cuts, (value, before, after, at) => {
        const content = encode(`${before} ${spell(value)} ${after}`);
        const redacted = redact(new Redactor({ secrets: [value] }), content, at);
        const alias = decode(makeAlias(1, encode(value)));
        expect(decode(redacted)).toBe(
          `${before} ${spell(value).length === value.length ? alias : respell(spell, value, alias)} ${after}`,
        );
        expect(redacted.length).toBe(content.length);
      }),
    );
  });
});

function respell(spell: (secret: string) => string, value: string, alias: string): string {
  return [...value]
    .map((character, i) => {
      const spelled = spell(character);
      const substitute = alias[i] ?? '';
      if (spelled.length === 1) return substitute;
      if (spelled.length === 2) return `\\${substitute}`;
      return spelled.startsWith('%') ? `%${hex(substitute)}` : `\\u00${hex(substitute)}`;
    })
    .join('');
}

test('a secret with unusual characters is replaced at the same length, plain, in JSON or percent-encoded', () => {
  fc.assert(
    fc.property(unusualSecret, surroundingText, cuts, (value, before, at) => {
      const redactor = new Redactor({ secrets: [value] });
      for (const spelled of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]) {
        const content = encode(`${before} ${spelled}|`);
        const redacted = redact(redactor, content, at);
        expect(redacted.length).toBe(content.length);
        expect(decode(redacted)).not.toContain(spelled);
      }
    }),
  );
});

test('a secret in base64 is replaced by its alias, in every alignment and both alphabets', () => {
  fc.assert(
    fc.property(
      secret,
      fc.uint8Array({ maxLength: 9 }),
      surroundingText,
      cuts,
      fc.boolean(),
      (value, before, after, at, url) => {
        const plain = Buffer.concat([before, encode(value), encode(after)]);
        const encoding = url ? 'base64url' : 'base64';
        const redacted = redact(new Redactor({ secrets: [value] }), encode(plain.toString(encoding)), at);
        const alias = makeAlias(1, encode(value));
        expect(Buffer.from(decode(redacted), encoding)).toEqual(
          Buffer.concat([before, alias, encode(after)]),
        );
      },
    ),
  );
});

test('bytes without a secret pass unchanged, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (content, at) => {
      expect(redact(new Redactor({ secrets: [SECRET] }), content, at)).toEqual(Buffer.from(content));
    }),
  );
});

test('only what may be the beginning of a secret is held back', () => {
  const stream = new Redactor({ secrets: ['SK-0123456789'] }).createBodyFilter();
  expect(decode(stream.push(encode('hello ~SK-01')))).toBe('hello ~');
  expect(decode(stream.push(encode('2x ~')))).toBe('SK-012x ~');
  expect(decode(stream.push(encode('SK-01')))).toBe('');
  expect(decode(stream.push(encode('23456789')))).toBe('redacted_1_xx');
});

test('the input is never modified', () => {
  const content = Buffer.from(`a ${SECRET} b`);
  const redactor = new Redactor({ secrets: [SECRET] });
  expect(decode(redactor.redactBytes(content))).toBe(`a ${ALIAS} b`);
  for (const filter of [redactor.createBodyFilter(), redactor.createStreamFilter()])
    expect(filterPieces(filter, content).toString()).toBe(`a ${ALIAS} b`);
  expect(content.toString()).toBe(`a ${SECRET} b`);
});

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
    `/v1/files/${respell(encodeURIComponent, SECRET, ALIAS)}?limit=2&api_key=${'r'.padEnd(3, 'x')}`,
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
    const alias = decode(makeAlias(1, encode(SIGNED)));
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
        expect(redactor.redactText(`you sent ${value}`)).toBe(
          `you sent ${decode(makeAlias(1, encode(value)))}`,
        );
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
    for (let n = 0; n < 100; n += 1) redactor.redactTarget(`/v1/images?sig=${SIGNED}${n}x`);
    redactor.redactTarget('/v1/files?api_key=my-private-llm-key');
    expect(redactor.redactText('my-private-llm-key')).not.toContain('private');
  });

  test('are searched up to a limit; a remark says if there are more', () => {
    const redactor = new Redactor();
    const key = (n: number) => `${SIGNED}${n}x`;
    for (let n = 0; n < 200; n += 1) {
      expect(redactor.redactTarget(`/v1/images?sig=${key(n)}`)).not.toContain(SIGNED);
    }
    expect(redactor.secrets).toHaveLength(64);
    expect(redactor.redactText(key(0))).not.toContain(SIGNED);
    expect(redactor.takeRemarks()).toEqual([expect.stringContaining('64 keys came in URLs')]);
  });
});
