import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Redactor } from '../redaction/redactor.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { isNote } from '../trace.ts';
import { readTrace } from './cassette.ts';
import { type CassetteWriter, createCassette } from './cassette-writer.ts';
import { quarantine } from './quarantine.ts';
import { scanForSecrets } from './secret-scan.ts';

const SECRET = 'sk-Canary_42+abc/XYZ-and-more';
const createRedactor = () => new Redactor({ secrets: [SECRET] });

let dir: string;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'assay-quarantine-')), 'c');
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

const begin = (cassette: CassetteWriter, target: string) =>
  cassette.begin({ method: 'GET', target, headers: [] });

async function record(): Promise<void> {
  const cassette = createCassette(dir, traceHeader());
  const bodies = ['one', `${'b'.repeat(10_000)}${SECRET}`, 'c'.repeat(10_000), gzipSync(SECRET), 'five'];
  const recordings = bodies.map((_, k) => begin(cassette, `/v1/${k + 1}`));
  for (const k of [3, 0, 1, 4, 2]) {
    const body = bodies[k] ?? '';
    const headers = typeof body === 'string' ? [] : ([['content-encoding', 'gzip']] as const);
    recordings[k]?.response({ status: 200, reason: 'OK', headers });
    recordings[k]?.piece(Buffer.from(body));
    await recordings[k]?.end({ how: 'complete' });
  }
  cassette.note({
    note: 'retry',
    exchange: 'e5',
    of: 'e3',
    repeat: { why: 'patience', status: 429, seconds: 1 },
  });
  cassette.note({
    note: 'retry',
    exchange: 'e3',
    of: 'e2',
    repeat: { why: 'patience', status: 429, seconds: 2 },
  });
  cassette.note({ note: 'remark', message: SECRET });
  cassette.finish();
}

test('the clean part of a recording is kept and renumbered, next to other files; the complete one is set aside', async () => {
  await record();
  writeFileSync(join(dir, 'README.md'), 'mine');
  const original = readFileSync(join(dir, 'cassette.jsonl'), 'utf8');
  const aside = `${dir}.quarantine`;
  const quarantined = quarantine(dir, aside, createRedactor());
  expect(quarantined).toEqual({ aside, exchanges: 2, notes: 1, place: expect.stringContaining(aside) });
  expect(readFileSync(join(aside, 'cassette.jsonl'), 'utf8')).toBe(original);
  expect(scanForSecrets(aside, createRedactor(), 'known').length).toBeGreaterThan(2);
  expect(scanForSecrets(dir, createRedactor(), 'known')).toEqual([]);
  expect(readdirSync(dir).toSorted()).toEqual(['README.md', 'blobs', 'cassette.jsonl', 'timing.jsonl']);
  const { items } = await readTrace(dir);
  const order = items.map((item) =>
    isNote(item)
      ? `${item.note} ${item.after} ${item.note === 'retry' ? JSON.stringify(item) : ''}`
      : `${item.id} ${item.request.target} ${item.after} ${item.ended} ${item.response?.body.size}`,
  );
  expect(order).toEqual([
    'e1 /v1/1 0 1 3',
    'e3 /v1/5 0 2 4',
    'e2 /v1/3 0 3 10000',
    'retry 3 {"after":3,"note":"retry","exchange":"e3","of":"e2","repeat":{"why":"patience","status":429,"seconds":1}}',
    'remark 3 ',
  ]);
});

test('the place of a secret is right even if the name of the folder has replacement patterns such as $&', async () => {
  dir = join(dir, '..', "$&-$'");
  await record();
  const aside = `${dir}.quarantine`;
  const place = quarantine(dir, aside, createRedactor())?.place ?? '';
  expect(place).toMatch(/:\d+$/);
  expect(place.replace(/:\d+$/, '')).toBe(join(aside, 'cassette.jsonl'));
});

test('a recording without a clean exchange leaves a cassette with only a remark about it', async () => {
  const cassette = createCassette(dir, traceHeader());
  const recording = begin(cassette, `/v1/${SECRET}`);
  await recording.end({ how: 'complete' });
  cassette.finish();
  expect(quarantine(dir, `${dir}.quarantine`, createRedactor())).toMatchObject({ exchanges: 1 });
  expect((await readTrace(dir)).items).toMatchObject([
    { note: 'remark', message: expect.stringContaining('1 exchange with a known secret') },
  ]);
});

const headerWithSecret = traceHeader({ target: { baseUrl: `http://127.0.0.1/${SECRET}/v1`, name: 'x' } });

test('quarantine rejects a cassette whose header holds a secret, and names the place', async () => {
  const cassette = createCassette(dir, headerWithSecret);
  await begin(cassette, '/v1/models').end({ how: 'complete' });
  cassette.finish();
  expect(() => quarantine(dir, `${dir}.quarantine`, createRedactor())).toThrow(
    /The header of the cassette holds a known secret, at .*c\.quarantine\/cassette\.jsonl:1\. .*do not share it/,
  );
});

test('the message about a header names the file whose header holds the secret', async () => {
  const cassette = createCassette(dir, traceHeader());
  await begin(cassette, `/v1/${SECRET}`).end({ how: 'complete' });
  cassette.finish();
  const timing = join(dir, 'timing.jsonl');
  const [head = '', ...exchanges] = readFileSync(timing, 'utf8').split('\n');
  const { baseUrl, ...others } = JSON.parse(head);
  writeFileSync(
    timing,
    [JSON.stringify({ ...others, baseUrl: `${baseUrl}/${SECRET}` }), ...exchanges].join('\n'),
  );
  expect(() => quarantine(dir, `${dir}.quarantine`, createRedactor())).toThrow(
    /The header of the cassette holds a known secret, at .*c\.quarantine\/timing\.jsonl:1\. /,
  );
});

test('a cassette without the secret is left unchanged', async () => {
  await record();
  const before = readFileSync(join(dir, 'cassette.jsonl'), 'utf8');
  expect(quarantine(dir, `${dir}.quarantine`, new Redactor({ secrets: ['another-secret-1'] }))).toBeNull();
  expect(readFileSync(join(dir, 'cassette.jsonl'), 'utf8')).toBe(before);
});
