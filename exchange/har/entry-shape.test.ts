import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeCompleteCassette } from '../testing/complete-cassette.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { typeVariants } from '../testing/type-variants.ts';
import { HarError } from './format.ts';
import { importHar } from './read.ts';
import { exportHar } from './write.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-har-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const pathOf = (name: string) => join(root, name);
const header = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'imported' } });

describe('members with another type than in HAR', () => {
  const entry = {
    startedDateTime: '2026-01-01T00:00:00Z',
    time: 5,
    request: {
      method: 'POST',
      url: 'https://a.example/v1/chat/completions',
      headers: [{ name: 'a', value: 'b' }],
      bodySize: 2,
      postData: {
        mimeType: 'multipart/form-data; boundary=x',
        params: [{ name: 'n', value: 'v', fileName: 'f' }],
      },
    },
    response: {
      status: 200,
      statusText: 'OK',
      headers: [{ name: 'content-type', value: 'text/plain' }],
      content: { size: 2, mimeType: 'text/plain', text: 'ok', encoding: 'x' },
      bodySize: 2,
      _error: null,
    },
    timings: { blocked: 1, dns: -1, connect: 0, send: 1, wait: 1 },
  };
  const importFile = async (har: unknown, name = 'c') => {
    writeFileSync(pathOf('x.har'), JSON.stringify(har));
    return importHar(pathOf('x.har'), pathOf(name), { header });
  };

  test.each([
    ['.response.content.text', { ...entry, response: { ...entry.response, content: { text: 5 } } }],
    ['', null],
    ['', 'text'],
    ['.request', { ...entry, request: 'POST' }],
    ['.request.headers[0]', { ...entry, request: { ...entry.request, headers: [null] } }],
    ['.response.status', { ...entry, response: { ...entry.response, status: '200' } }],
    ['._assay.after', { ...entry, _assay: { target: 5 } }],
  ])('are named: entries[1]%s', async (path, wrong) => {
    const error: unknown = await importFile({ log: { entries: [entry, wrong] } }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(HarError);
    expect(String(error)).toContain(`x.har: log.entries[1]${path} is missing or has another type`);
    expect(existsSync(pathOf('c'))).toBe(false);
  });

  test('leave the file readable or cause a HarError, at any place', async () => {
    await writeCompleteCassette(pathOf('ours'));
    await exportHar(pathOf('ours'), pathOf('ours.har'));
    const ours = JSON.parse(readFileSync(pathOf('ours.har'), 'utf8'));
    const [first] = ours.log.entries;
    const documents = [{ log: { entries: [entry] } }, { log: { ...ours.log, entries: [first] } }];
    let [read, refused] = [0, 0];
    for (const document of documents) {
      for (const { path, value } of typeVariants(document)) {
        const name = `n${read + refused}`;
        try {
          await importFile(value, name);
          read += 1;
          rmSync(pathOf(name), { recursive: true });
        } catch (error) {
          refused += 1;
          expect(error, path).toBeInstanceOf(HarError);
        }
      }
    }
    expect(read).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(300);
  });
});
