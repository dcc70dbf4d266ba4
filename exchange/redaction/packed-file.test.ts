import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readZipEntries } from '../http/zip.ts';
import { filterPieces } from '../testing/pieces.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { zipOf } from '../testing/zip.ts';
import { filterWhole } from './byte-filter.ts';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Canary_42+abc/XYZ';
const ALIAS = 'redacted_1_xxxxx/xxx';
const TEXT = `first line\nkey ${SECRET}\nlast line\n`;
const FORM = [['content-type', 'multipart/form-data; boundary=not-the-one-in-the-body']] as const;
const createRedactor = () => new Redactor({ secrets: [SECRET] });

function buildForm(...files: readonly Uint8Array[]): Buffer {
  const parts = files.flatMap((file, n) => [
    Buffer.from(`--bound\r\nContent-Disposition: form-data; name="file"; filename="${n}"\r\n\r\n`),
    file,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...parts, Buffer.from('--bound--\r\n')]);
}

function readParts(form: Buffer): readonly Buffer[] {
  const text = form.toString('latin1');
  return [...text.matchAll(/\r\n\r\n([\s\S]*?)(?=\r\n--bound)/g)].map(([, content = '']) =>
    Buffer.from(content, 'latin1'),
  );
}

test('the bytes of the caller are not modified when a file in them is left out', () => {
  const zip = zipOf({ 'a.txt': TEXT });
  const input = Buffer.from(zip);
  const redacted = filterWhole(createRedactor().createBodyFilter(), input);
  expect(redacted.equals(zip)).toBe(false);
  expect(input.equals(zip)).toBe(true);
});

test('a secret in a gzip or zip file in a form is removed at the same length, however the form is split', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2000), { maxLength: 6 }), fc.lorem(), (cuts, words) => {
      const files = [
        gzipSync(TEXT),
        Buffer.from(words),
        zipOf({ 'a.txt': words, 'b.txt': TEXT }),
        Buffer.from(SECRET),
      ];
      const form = buildForm(...files);
      const redactor = createRedactor();
      const output = filterPieces(redactor.createBodyFilter(FORM), form, cuts);
      expect(output.length).toBe(form.length);
      const [gzip, text, zip, plain] = readParts(output);
      expect(gunzipSync(gzip ?? '').toString()).toBe(TEXT.replace(SECRET, ALIAS));
      expect(text?.toString()).toBe(words);
      expect(plain?.toString()).toBe(ALIAS);
      const [a, b] = readZipEntries(zip ?? Buffer.alloc(0), 1e6);
      expect(Buffer.from(a?.content ?? '').toString()).toBe(words);
      expect(b?.content).toBeNull();
      expect(redactor.takeRemarks()).toEqual(['A file in a zip file held a secret: it is left out.']);
    }),
    { numRuns: propertyRuns(50) },
  );
});

test.for<[string, Buffer]>([
  ['a zip file', zipOf({ 'a.txt': TEXT })],
  ['a zip file with an uncompressed entry', zipOf({ 'a.txt': TEXT }, 'stored')],
  ['a zip file in a zip file', zipOf({ 'a.zip': zipOf({ 'a.txt': TEXT }) })],
  ['a zip file in a gzip file', gzipSync(zipOf({ 'a.txt': TEXT }))],
  [
    'a packed file and its name in a stored zip file',
    zipOf({ 'a.zip': zipOf({ [SECRET]: TEXT }) }, 'stored'),
  ],
  ['a gzip file in a gzip file', gzipSync(gzipSync(TEXT))],
])('a secret in %s is removed, even if no header declares the format', ([, packed]) => {
  const output = filterPieces(createRedactor().createBodyFilter(), packed);
  expect(output.length).toBe(packed.length);
  expect(unpackAll(output)).not.toContain('Canary');
  expect(unpackAll(packed)).toContain('Canary');
});

function unpackAll(bytes: Uint8Array): string {
  const plain = Buffer.from(bytes).toString('latin1');
  if (bytes[0] === 0x1f) return plain + unpackAll(gunzipSync(bytes));
  return (
    plain +
    readZipEntries(bytes, 1e6)
      .map(({ content }) => (content === null ? '' : unpackAll(content)))
      .join('')
  );
}

test.for<[string, Buffer, string]>([
  ['a damaged gzip file', gzipSync(TEXT).subarray(0, 40), 'A gzip file could not be unpacked'],
  [
    'a damaged zip file',
    zipOf({ 'a.txt': TEXT }).subarray(0, 60),
    'A file in a zip file could not be unpacked',
  ],
  [
    'an encrypted zip file',
    markEncrypted(zipOf({ 'a.txt': TEXT })),
    'A file in a zip file could not be unpacked',
  ],
])('%s is kept, with a remark that it was not searched', ([, packed, remark]) => {
  for (const [bytes, headers] of [
    [packed, []],
    [buildForm(packed), FORM],
  ] as const) {
    const redactor = createRedactor();
    expect(filterPieces(redactor.createBodyFilter(headers), bytes).equals(bytes)).toBe(true);
    expect(redactor.takeRemarks()).toEqual([expect.stringContaining(remark)]);
  }
});

function markEncrypted(zip: Buffer): Buffer {
  const copy = Buffer.from(zip);
  copy.writeUInt16LE(1, copy.indexOf('PK\u0001\u0002') + 8);
  return copy;
}

test('a form whose first line has the maximum length is recognised byte by byte', () => {
  const boundary = 'b'.repeat(70);
  const text = buildForm(gzipSync(TEXT)).toString('latin1').replaceAll('bound', boundary);
  const form = Buffer.from(text, 'latin1');
  const output = filterPieces(createRedactor().createBodyFilter(FORM), form, [...form.keys()]);
  const file = output.subarray(output.indexOf('\r\n\r\n') + 4, output.lastIndexOf(`\r\n--${boundary}`));
  expect(gunzipSync(file).toString()).toBe(TEXT.replace(SECRET, ALIAS));
});

test.for([
  '',
  'd',
  'data',
  'P',
  'PK',
  'Peter',
  'data: not JSON',
  '\u001f\u008b\u0007\u0001',
  '--bound',
  '--bound\r\n',
  '--bound\r\nContent-Type: text/plain\r\n\r\nPK',
  `${'-'.repeat(100)}\r\n\r\nPK`,
])('%j passes unchanged', (text) => {
  const bytes = Buffer.from(text, 'latin1');
  for (const headers of [[], FORM])
    for (const cuts of [[], [...bytes.keys()]])
      expect(filterPieces(createRedactor().createBodyFilter(headers), bytes, cuts).equals(bytes)).toBe(true);
});
