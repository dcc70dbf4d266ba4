import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeCompleteCassette } from '../testing/complete-cassette.ts';
import { takeSnapshot } from '../testing/snapshot.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { importHar } from './read.ts';
import { exportHar } from './write.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-har-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const pathOf = (name: string) => join(root, name);
const createHeader = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'imported' } });

test('a cassette survives the conversion to HAR and back byte for byte', async () => {
  await writeCompleteCassette(pathOf('a'));
  expect(await exportHar(pathOf('a'), pathOf('a.har'))).toEqual({ exchanges: 7 });
  expect(await importHar(pathOf('a.har'), pathOf('b'), { header: createHeader })).toEqual({
    kind: 'HAR file',
    exchanges: 7,
    isExport: true,
    skipped: 0,
    quarantined: null,
  });
  expect(takeSnapshot(pathOf('b'))).toEqual(takeSnapshot(pathOf('a')));
});

test('an export rejects a pipe as its file, and does not replace it', async () => {
  await writeCompleteCassette(pathOf('a'));
  execFileSync('mkfifo', [pathOf('pipe')]);
  await expect(exportHar(pathOf('a'), pathOf('pipe'))).rejects.toThrow('pipe is a pipe or a special file');
  expect(lstatSync(pathOf('pipe')).isFIFO()).toBe(true);
});

test('an exported HAR file has query parameters, decoded content, and base64 for what is not text', async () => {
  await writeCompleteCassette(pathOf('a'));
  await exportHar(pathOf('a'), pathOf('a.har'));
  const { log } = JSON.parse(readFileSync(pathOf('a.har'), 'utf8'));
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'assay' } });
  const [models, json, stream, gzip, image] = log.entries;
  expect(models.request).toMatchObject({
    url: 'http://127.0.0.1:1/v1/models?a=1&b=%20',
    queryString: [
      { name: 'a', value: '1' },
      { name: 'b', value: ' ' },
    ],
  });
  expect(json).toMatchObject({
    request: { postData: { text: '/v8=', _encoding: 'base64' }, bodySize: 2 },
    response: { status: 200, content: { size: 7, mimeType: 'application/json', text: '{"a":1}' } },
  });
  expect(stream.response.content.text).toBe('data: 1\n\ndata: 2\r\n\r\n');
  expect(gzip.response.content).toMatchObject({ size: 300, text: 'hello '.repeat(50) });
  expect(image.response.content).toMatchObject({ encoding: 'base64', size: 10_001 });
});
