import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import type { HeaderPairs, HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { propertyRuns } from '../../exchange/testing/property-runs.ts';
import { recordingHeader } from '../record/recording-header.ts';
import { type MatchOptions, type RecordingMatch, Recordings } from './recordings.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-fingerprint-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const FORM_TYPE = 'multipart/form-data; boundary=a-boundary-of-some-length';
const form = (value: string) =>
  `--a-boundary-of-some-length\r\nContent-Disposition: form-data; name="a"\r\n\r\n${value}\r\n--a-boundary-of-some-length--\r\n`;

const FIELDS: HeaderPairs = [
  ['Host', 'here'],
  ['X-Request-Id', 'r'],
  ['X-Unknown', 'masked'],
  ['Content-Type', 'application/json'],
  ['content-type', FORM_TYPE],
  ['Content-Encoding', 'gzip'],
  ['OpenAI-Beta', 'assistants=v2'],
  ['openai-beta', 'assistants=v1'],
  ['X-Beta', 'b'],
  ['Authorization', 'Bearer sk-0123456789abcdef'],
  ['X-Assay-Scope', 'one'],
  ['x-assay-scope', 'two'],
];

/** Few values for each part, so that requests are often equal, or differ only in ignored parts. */
const sketches = fc.record({
  method: fc.constantFrom('POST', 'post', 'GET'),
  target: fc.constantFrom(
    '/v1/x',
    '/v1/x?a=1&b=2',
    '/v1/x?b=2&a=1',
    '/v1/é"',
    '/assay-url/https/images.example/a.png',
  ),
  fields: fc.subarray([...FIELDS], { maxLength: 4 }),
  body: fc.constantFrom(
    '',
    '{"a":1,"b":"v"}',
    '{"b":"v","a":1}',
    '{"a":1,"b":"w"}',
    '{"a": 1}',
    form('v'),
    form('w'),
    'text',
    `"${'x'.repeat(9_000)}"`,
  ),
});

const cassettes = fc.array(
  fc.record({
    betaHeader: fc.constantFrom('Vendor-Beta', 'Vendor-Beta', 'X-Beta'),
    keyInjected: fc.boolean(),
    all: fc.array(sketches, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 2 },
);

type RequestSketch = typeof sketches extends fc.Arbitrary<infer One> ? One : never;

const listNeighbours = (sketch: RequestSketch): RequestSketch[] =>
  FIELDS.map((field) => {
    const others = sketch.fields.filter(([name]) => name.toLowerCase() !== field[0].toLowerCase());
    return { ...sketch, fields: sketch.fields.includes(field) ? others : [...others, field] };
  });

const toRequest = ({ method, target, fields, body }: RequestSketch): HttpRequest => ({
  method,
  target,
  headers: fields,
  body: Body.from(body),
});

const describeMatch = (match: RecordingMatch) =>
  match.kind === 'hit' ? [match.location.cassette.dir, match.location.k] : match.kind;

test('matching by fingerprint finds the same recordings as matching by key', async () => {
  let n = 0;
  let fingerprinted = 0;
  await fc.assert(
    fc.asyncProperty(
      cassettes,
      fc.array(sketches, { maxLength: 8 }),
      fc.record({
        repeatLast: fc.boolean(),
        volatile: fc.constantFrom<readonly string[]>([], ['/b'], ['/a']),
      }),
      async (recorded, others, options: MatchOptions) => {
        const dirs: string[] = [];
        for (const { betaHeader, keyInjected, all } of recorded) {
          n += 1;
          dirs.push(join(root, `${n}`));
          const header = recordingHeader('http://127.0.0.1:1/v1', { key: true, betaHeader, keyInjected });
          const writer = createCassette(join(root, `${n}`), header, { collect: false });
          for (const { method, target, fields, body } of all) {
            const recording = writer.begin({ method, target, headers: fields });
            recording.requestBody(Buffer.from(body));
            await recording.end({ how: 'complete', at: 1 });
          }
          writer.finish();
        }
        const open = async (replay: boolean) => {
          const opened: Cassette[] = [];
          for (const dir of dirs) opened.push(await openCassette(dir, { replay }));
          return opened;
        };
        const [indexed, plain] = [await open(true), await open(false)];
        const byFingerprint = new Recordings(indexed, options);
        const byKey = new Recordings(plain, options);
        // Each request is matched twice as sent, once with each field added or removed, and once as stored, if it was.
        const written = plain.flatMap((cassette) =>
          Array.from({ length: cassette.size }, (_, k) => cassette.exchange(k).request),
        );
        const requestSketches = [...recorded.flatMap(({ all }) => all), ...others];
        const requests = requestSketches.map(toRequest);
        for (const request of [
          ...requestSketches.flatMap(listNeighbours).map(toRequest),
          ...requests,
          ...written,
          ...requests,
        ]) {
          expect(describeMatch(byFingerprint.take(request))).toEqual(describeMatch(byKey.take(request)));
        }
        fingerprinted += indexed.filter((cassette) => cassette.fingerprint(0) !== null).length;
        for (const cassette of [...indexed, ...plain]) cassette.close();
      },
    ),
    { numRuns: propertyRuns(40) },
  );
  expect(fingerprinted).toBeGreaterThan(0);
});
