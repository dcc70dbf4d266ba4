import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import type { ByteFilter } from './byte-filter.ts';
import { Redactor } from './redactor.ts';
import { MAX_BACKSLASHES } from './url-parameter.ts';

const SIGNATURE = 'hVv9%2F0a8Zq%2BQk3x7LmN2c5Rw1TtYb6Uj4D%3D';
/** Without `%`, the signature stays the same at every level of percent-encoding. */
const UNRESERVED = SIGNATURE.replaceAll('%', '-');
const MASK = `redacted_${'x'.repeat(SIGNATURE.length - 9)}`;

function filterText(filter: ByteFilter, text: string, cuts: readonly number[] = []): string {
  const bytes = Buffer.from(text);
  const filtered = filterPieces(filter, bytes, cuts);
  expect(filtered.length).toBe(bytes.length);
  return filtered.toString();
}

const masking = new Redactor();
const keeping = new Redactor({ keepFields: true });
const redact = (text: string) => filterText(masking.createBodyFilter(), text);
const redactKeepingFields = (text: string) => filterText(keeping.createBodyFilter(), text);

const KINDS = [
  'https://a.blob.example/x.png?se=2026-01-01T00%3A00%3A00Z&sp=r&sig={{S}}',
  'https://a.blob.example/x.png?sig={{S}}&se=2026',
  'https://s3.example/x?X-Amz-Credential={{S}}&X-Amz-Date=20260101&X-Amz-Security-Token={{S}}&X-Amz-Signature={{S}}',
  'https://storage.example/x?x-goog-signature={{S}}#a',
  'https://cdn.example/x?Expires=1&Signature={{S}}&Key-Pair-Id={{S}}',
  'https://cdn.example/x?Policy={{S}}&x=1',
  '/files/1/content?token={{S}}',
];

const SPELLINGS: Readonly<Record<string, (url: string) => string>> = {
  'in JSON': (url) => JSON.stringify({ data: [{ url }], n: 1 }),
  'in JSON with escaped slashes': (url) => JSON.stringify({ url }).replaceAll('/', '\\/'),
  'in JSON with an escaped ampersand': (url) => JSON.stringify({ url }).replaceAll('&', '\\u0026'),
  'in JSON for HTML': (url) =>
    JSON.stringify({ url }).replaceAll('&', '\\u0026').replaceAll('=', '\\u003d').replaceAll('?', '\\u003F'),
  'in JSON within JSON': (url) =>
    JSON.stringify({ arguments: JSON.stringify({ url }).replaceAll('&', '\\u0026') }),
  'in the data of an event': (url) => `event: image\ndata: ${JSON.stringify({ url })}\n\ndata: [DONE]\n\n`,
  'in HTML': (url) => `<img src="${url.replaceAll('&', '&amp;')}">`,
  'in XML with a numeric entity': (url) => `<Url>${url.replaceAll('&', '&#38;')}</Url>`,
  'in Markdown': (url) => `See ![it](${url}), and ${url} there.`,
  'in a URL': (url) => `https://proxy.example/${encodeURIComponent(url)} and more`,
  'in a part of a form': (url) =>
    `--b\r\nContent-Disposition: form-data; name="u"\r\n\r\n${url}\r\n--b--\r\n`,
};

describe.each(Object.entries(SPELLINGS))('a URL %s', (_, spell) => {
  test.each(KINDS)('is masked only where it holds secrets: %s', (kind) => {
    for (const signature of spell === SPELLINGS['in a URL'] ? [UNRESERVED] : [UNRESERVED, SIGNATURE]) {
      const [original, expected] = [signature, MASK].map((value) => spell(kind.replaceAll('{{S}}', value)));
      const masked = redact(original ?? '');
      expect(masked).toBe(expected);
      expect(redact(masked)).toBe(masked);
    }
  });

  test.each(KINDS)('is unchanged by a redactor that keeps fields: %s', (kind) => {
    for (const signature of [UNRESERVED, SIGNATURE]) {
      const original = spell(kind.replaceAll('{{S}}', signature));
      expect(redactKeepingFields(original)).toBe(original);
    }
  });
});

// biome-ignore format: one name per line would take thirty lines
const PARAMETER_NAMES = [
  'x-api-key', 'private_key', 'refresh-token', 'client_secret', 'secret', 'password', 'passwd', 'passphrase',
  'jwt', 'sig', 'signature', 'q-signature', 'temp_url_sig', 'key-pair-id', 'security-token', 'x-amz-signature',
  'x-amz-credential', 'x-amz-security-token', 'key', 'token', 'code', 'sid', 'session', 'session_id',
  'jsessionid', 'policy', 'sign', 'auth_key', 'authorization',
];

test('each parameter that is listed as secret is masked in a body', () => {
  const file = new URL('./secret-rules/places.json', import.meta.url);
  // as: part of the sources
  const { parameters } = JSON.parse(readFileSync(file, 'utf8')) as { parameters: Record<string, string[]> };
  for (const pattern of Object.values(parameters).flat())
    expect(PARAMETER_NAMES).toContainEqual(expect.stringMatching(new RegExp(`^(?:${pattern})$`)));
  for (const name of PARAMETER_NAMES)
    expect(redact(`/x?${name}=${UNRESERVED}&n=1`)).toBe(`/x?${name}=${MASK}&n=1`);
});

test('a value in a URL within a URL continues beyond doubly escaped text', () => {
  const escaped = encodeURIComponent(SIGNATURE);
  const text = (value: string) => `/fetch/https%3A%2F%2Fx%2Fa%3Fsig%3D${value}%26se%3D1`;
  expect(redact(text(escaped))).toBe(text(`redacted_${'x'.repeat(escaped.length - 9)}`));
});

test('the same text has the same mask, however JSON escapes it', () => {
  const url = 'https://x.example/a?sig=ab/cd+Ef0=&b=1';
  const spellings = [
    JSON.stringify(url),
    JSON.stringify(url).replaceAll('/', '\\/'),
    JSON.stringify(url).replaceAll(/[&=+/]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    JSON.stringify(url).replaceAll(/[&=+/]/g, (c) => `\\u00${c.charCodeAt(0).toString(16).toUpperCase()}`),
  ];
  for (const text of spellings)
    expect(JSON.parse(redact(text))).toBe('https://x.example/a?sig=re/acted_x&b=1');
});

test('a signature is masked the same in the deltas of a stream and in the whole text', () => {
  const text = `Here: ![it](https://x.example/a?se=1&sig=${SIGNATURE}&b=1) or https://x.example/b?sig=${SIGNATURE}`;
  const redactor = new Redactor();
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const deltas = at.slice(1).map((to, i) => ({ delta: text.slice(at[i], to) }));
      const events = [...deltas, { text }].map((json) => `data: ${JSON.stringify(json)}\n\n`).join('');
      const output = filterText(redactor.createStreamFilter(), events);
      const read = [...output.matchAll(/^data: (.*)$/gm)].map(
        ([, data = '{}']): { delta?: string; text?: string } => JSON.parse(data),
      );
      expect(read.map(({ delta = '' }) => delta).join('')).toBe(text.replaceAll(SIGNATURE, MASK));
      expect(read.at(-1)?.text).toBe(text.replaceAll(SIGNATURE, MASK));
    }),
  );
});

// biome-ignore format: one text per line would take thirty lines
const PIECES = [
  '?', '&', '&amp;', '\\u0026', '%26', '%3F', ';', '#', '=', '\\u003d', '\\\\u003d', '%3D', '%', 'sig', 'X-Amz-Signature',
  'token', 'policy', 'a', ' ', '"', '\\', '\\/', '/', '.', '3d', 'u00', '6', '0a8Zq2BQk3x7LmN2c5Rw', SIGNATURE,
  'sk-known-4u7RlQ2x9Zt1B', 'redacted_xxxx', '\n',
];

test('a body is masked the same, however it is split', () => {
  const parts = fc.array(fc.constantFrom(...PIECES), { maxLength: 16 });
  const redactor = new Redactor({ secrets: ['sk-known-4u7RlQ2x9Zt1B'] });
  fc.assert(
    fc.property(parts, fc.array(fc.nat(300), { maxLength: 6 }), (pieces, cuts) => {
      const text = pieces.join('');
      const masked = filterText(redactor.createBodyFilter(), text);
      expect(filterText(redactor.createBodyFilter(), text, cuts)).toBe(masked);
      expect(filterText(redactor.createBodyFilter(), masked)).toBe(masked);
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('an escaped equals sign after a backslash is found although it is split', () => {
  const text = `?token\\%3D${SIGNATURE}`;
  const masked = redact(text);
  expect(masked).not.toContain('hVv9');
  for (let cut = 1; cut < text.length; cut += 1)
    expect(filterText(masking.createBodyFilter(), text, [cut])).toBe(masked);
});

test('a signature is removed completely, whatever surrounds it', () => {
  const around = fc.string({ unit: fc.constantFrom(...'ab =&?;#%\\/"<>\n.3dDu0{}'), maxLength: 30 });
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~'];
  fc.assert(
    fc.property(
      around,
      fc.constantFrom(
        '?sig=',
        '&Signature=',
        '\\u0026X-Amz-Signature=',
        '&amp;x-goog-signature\\u003d',
        '%26sig%3D',
      ),
      fc.string({ unit: fc.constantFrom(...alphabet), minLength: 20, maxLength: 80 }),
      around,
      (before, lead, signature, after) => {
        const output = redact(`${before}${lead}${signature}${after}`);
        expect(output).not.toContain(signature.slice(9));
        expect(output).not.toContain(signature.slice(0, 9));
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});

test('a value that is a known secret gets its alias, and one that contains more is masked as a whole', () => {
  const known = 'sk-known-4u7RlQ2x9Zt1B';
  const text = (value: string) => `{"a":"https://x/y?sig=${value}&z=1"}`;
  const redacted = (value: string) =>
    filterText(new Redactor({ secrets: [known] }).createBodyFilter(), text(value));
  expect(redacted(known)).toBe(text('redacted_1_xxxxxxxxxxx'));
  expect(redacted(`${known}tail`)).toBe(text('redacted_xxxxxxxxxxxxxxxxx'));
  expect(redacted(`head${known}`)).toBe(text('redacted_xxxxxxxxxxxxxxxxx'));
});

test('other parameters, placeholders and ordinary text are unchanged', () => {
  const texts = [
    'https://x.example/a?se=1&sp=r&sr=b&width=64',
    'GET /v1/x?api_key=YOUR_API_KEY&token=abc&key=name&code=404&policy=strict',
    'if (a && sig == b) sig = 1; // design=0a8Zq2BQk3x7LmN2c5Rw, sig=0a8Zq2BQk3x7LmN2c5Rw',
    '?sig=',
    'a?sig',
    '{"url":"https://x.example/a?sig=&se=1"}',
    `{"sha256":"a&design=${SIGNATURE}"}`,
    'the question? &c; 50% \\u003',
  ];
  for (const text of texts) expect(redact(text)).toBe(text);
});

test('unless fields are kept, a value that does not look generated is masked in a parameter that can only contain a secret', () => {
  const text = (value: (length: number) => string) =>
    `GET /v1/x?api_key=${value(8)}&client_secret=${value(15)}#access_token=${value(12)} "?password=${value(9)}"`;
  const values = ['abcd1234', 'word-word-words', 'opensesame77', 'hunter2hu'];
  const original = text((length) => values.find((value) => value.length === length) ?? '');
  expect(redact(original)).toBe(
    text((length) => (length < 9 ? 'rxxxxxxx' : 'redacted_'.padEnd(length, 'x'))),
  );
  expect(redactKeepingFields(original)).toBe(original);
});

// biome-ignore format: one value per line would take twenty lines
test.each([
  'YOUR_API_KEY', 'your-api-key-here', '%3Capi_key%3E', '%24API_KEY', 'xxxxxxxxxxxx', 'my-token-example-1',
  'process.env.API_KEY', 'changeme', 'undefined', '--------', 'none', 'abc1234', 'fake-api-key', 'OPENAI_API_KEY',
  'config.apiKey', 'access_token', '%24%7BAPI_KEY%7D', '%3Cmy%20key%3E', '%2A%2A%2A',
])('the short value or placeholder %s is not masked in a parameter that can only contain a secret', (value) => {
  expect(redact(`/v1/x?api_key=${value}&n=1`)).toBe(`/v1/x?api_key=${value}&n=1`);
});

test('a parameter within the value of another one is judged by itself', () => {
  const text = (value: string) => `/x?key=${'a'.repeat(99)}%26token=${value}%3bcode=name`;
  expect(redact(text('0a8Zq2BQk3x7LmN2c5Rw'))).toBe(
    text('redacted_xxxxxxxxxxx').replace('%3bcode=name', 'x'.repeat(12)),
  );
  expect(redact(text('name'))).toBe(text('name'));
  expect(redact('/x?sig=ab%26token=name&n=1')).toBe('/x?sig=redacted_xxxxxx&n=1');
});

// Takes minutes if the remaining text is read once per parameter.
test.each([
  ['parameters within a value', '?key=a', '%26token=b'],
  ['parameters within a value, with another delimiter,', '?key=a', '%3bcode=b'],
  ['signatures within a value', '?sig=redacted_1', '%23sig=redacted_1'],
])('many %s are searched within the timeout of a test', (_, before, part) => {
  const text = before + part.repeat((1024 * 1024) / part.length);
  expect(redact(text)).toBe(text);
});

// An escaped equals sign may still follow `?sig`, so up to the maximum length of name and equals sign is held back.
test.each([
  ['?sig=', 5 + MAX_BACKSLASHES],
  ['?sig', 128],
])('%s and the backslashes after it are held back up to %i bytes', (lead, limit) => {
  const stream = masking.createBodyFilter();
  let heldBytes = 0;
  let maxHeldBytes = 0;
  for (const piece of [lead, ...'\\'.repeat(1000)]) {
    heldBytes += piece.length - stream.push(Buffer.from(piece)).length;
    maxHeldBytes = Math.max(maxHeldBytes, heldBytes);
  }
  expect([maxHeldBytes, heldBytes]).toEqual([limit, 1]);
});

test('an equals sign that is escaped in JSON nested five levels deep ends the name of a parameter', () => {
  const deep = '\\'.repeat(2 ** 5);
  expect(redact(`?sig${deep}u003d${SIGNATURE}`)).toBe(`?sig${deep}u003d${MASK}`);
});

test('a mask that the deltas of a stream split is kept', () => {
  const events = (deltas: readonly string[]) =>
    deltas.map((delta) => `data: ${JSON.stringify({ delta })}\n\n`).join('');
  for (let at = 1; at < 'redacted_1'.length; at += 1) {
    const text = events([`?sig=${'redacted_1'.slice(0, at)}`, `${'redacted_1'.slice(at)} y`]);
    expect(filterText(new Redactor().createStreamFilter(), text)).toBe(text);
  }
});

describe('percent-encoded names are recognised as names of secrets', () => {
  const KEY = 'q7-private-llm-key-42';
  test.each(['api%5Fkey', 'api%2Dkey', '%61pi_key', 'api%255Fkey'])(
    '%s in a target and a location',
    (name) => {
      const redactor = new Redactor();
      expect(redactor.redactTarget(`/v1/models?a=b&${name}=${KEY}`)).not.toContain(KEY);
      expect(redactor.redactText(`you sent ${KEY}`)).not.toContain(KEY);
      const [pair] = new Redactor().redactHeaders([['Location', `https://a.example/?${name}=${KEY}`]]);
      expect(pair?.[1]).not.toContain(KEY);
    },
  );

  test.each([
    `https://a.example/?api%5Fkey=${KEY}`,
    `https://a.example/?x=1&client%2dsecret=${KEY}&b=c`,
    `https://a.example/?u=https%3A%2F%2Fb.example%2F%3Fapi%255Fkey%3D${KEY}`,
  ])('in a body: %s', (url) => {
    const text = `{"url":"${url}"}`;
    const filter = new Redactor().createBodyFilter();
    const output = Buffer.concat([filter.push(Buffer.from(text)), filter.finish()]).toString();
    expect(output).not.toContain(KEY);
    const bytewiseFilter = new Redactor().createBodyFilter();
    const pieces = [...Buffer.from(text)].map((byte) => bytewiseFilter.push(Uint8Array.of(byte)));
    expect(Buffer.concat([...pieces, bytewiseFilter.finish()]).toString()).toBe(output);
  });

  test('in a form', () => {
    const redactor = new Redactor();
    const form = redactor.createBodyFilter([['Content-Type', 'application/x-www-form-urlencoded']]);
    const output = Buffer.concat([form.push(Buffer.from(`api%5Fkey=${KEY}&a=b`)), form.finish()]).toString();
    expect(output).not.toContain(KEY);
  });
});
