import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { exportHar } from '../har/write.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { createCassette } from './cassette-writer.ts';

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
for (const name of ['cassette', 'journal', 'har']) {
  const file = `${name}.schema.json`;
  ajv.addSchema(JSON.parse(readFileSync(`cassettes/${file}`, 'utf8')), `cassettes:///${file}`);
}

function findInvalidLines(text: string, schema = 'cassette.schema.json'): string[] {
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => !ajv.validate(`cassettes:///${schema}`, JSON.parse(line)));
}

test('the lines of a cassette, its journal and its timings and the entries of its HAR file match the schemas', async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-format-'));
  try {
    const redact = { pointers: ['/user'], patterns: 1 };
    const cassette = createCassette(join(root, 'c'), traceHeader({ redact }), { maxRequestBytes: 20_000 });
    const type = (value: string) => [['Content-Type', value]] as const;
    const form = (size: number) =>
      `--a-boundary-that-is-long\r\nContent-Disposition: form-data; name="x"\r\n\r\n${'x'.repeat(size)}\r\n--a-boundary-that-is-long--\r\n`;
    const bodies = [
      ['text/plain', ''],
      ['application/json', '{"a":1}'],
      ['application/json', '{\n  "a": 1\n}\n'],
      ['application/json', '{"a": 1}'],
      ['text/event-stream', Buffer.from('data: 1\n\nevent: a\r\ndata: x\r\n\r\n: \xff', 'latin1')],
      ['text/event-stream', 'data:1\r\n\r\n'],
      ['application/octet-stream', Buffer.from([0xff, 0xfe])],
      ['application/octet-stream', Buffer.alloc(5_000, 0xff)],
      ['text/plain', 'x'.repeat(10_000)],
      ['multipart/form-data; boundary=a-boundary-that-is-long', form(10)],
      ['multipart/form-data; boundary=a-boundary-that-is-long', form(30_000)],
    ] as const;
    for (const [name, body] of bodies) {
      const recording = cassette.begin({
        method: 'POST',
        target: '/v1/x',
        headers: type(name),
        scenario: 'a.b',
      });
      recording.requestBody(Buffer.from(body));
      recording.response({ status: 200, reason: '', headers: type(name) });
      if (body.length > 0) recording.piece(Buffer.from(body));
      await recording.end({ how: 'complete', trailers: [['X-Assay-T', '1']] });
    }
    const probe = {
      id: '1',
      operation: 'o',
      pointer: 'p',
      keyword: 'k',
      side: 'valid',
      control: null,
    } as const;
    const silent = cassette.begin({ method: 'GET', target: '/v1/x', headers: [['Host', 'x']], probe });
    await silent.end({ how: 'upstream-reset', detail: 'ECONNREFUSED' });
    cassette.note({ note: 'remark', message: 'm' });
    const reaction = { retries: 1, retriedAfter: 12, honoured: null, wentOn: true, usedHalf: false };
    const answer = { disturbance: 'reset', request: 'POST /v1/files', createdTwice: ['a', 'b'], ...reaction };
    cassette.note({ note: 'disturbed', answer });
    const journal = readFileSync(join(root, 'c/journal.jsonl'), 'utf8');
    expect(findInvalidLines(journal, 'journal.schema.json')).toEqual([]);
    cassette.finish();
    expect(findInvalidLines(readFileSync(join(root, 'c/cassette.jsonl'), 'utf8'))).toEqual([]);
    const [, ...times] = readFileSync(join(root, 'c/timing.jsonl'), 'utf8').trimEnd().split('\n');
    expect(findInvalidLines(times.join('\n'), 'cassette.schema.json#/$defs/timing')).toEqual([]);
    await exportHar(join(root, 'c'), join(root, 'c.har'));
    const { log } = JSON.parse(readFileSync(join(root, 'c.har'), 'utf8'));
    const entries = log.entries.map((entry: unknown) => JSON.stringify(entry)).join('\n');
    expect(findInvalidLines(entries, 'har.schema.json')).toEqual([]);
    expect(findInvalidLines(JSON.stringify(log._assay), 'har.schema.json#/$defs/log')).toEqual([]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('every committed cassette matches the schema', () => {
  const files = readdirSync('cassettes', { recursive: true, encoding: 'utf8' });
  const cassettes = files.filter((file) => file.endsWith('cassette.jsonl'));
  expect(cassettes).toContain('assistant-session/cassette.jsonl');
  for (const file of cassettes)
    expect(findInvalidLines(readFileSync(join('cassettes', file), 'utf8')), file).toEqual([]);
});

test('invalid lines do not match the schema', () => {
  const lines = [
    '{}',
    '{"e":"end","how":"well"}',
    '{"e":"event"}',
    '{"e":"body","of":"request","size":1}',
    '{"e":"sse"}',
  ];
  expect(findInvalidLines(lines.join('\n'))).toEqual(lines);
});
