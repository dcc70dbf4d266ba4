import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HAR_ENTRY } from '../testing/har-entry.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { HarError } from './format.ts';
import { importHar } from './read.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-har-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const pathOf = (name: string) => join(root, name);
const header = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'imported' } });

describe('members with another type than in HAR', () => {
  const importFile = async (har: unknown) => {
    writeFileSync(pathOf('x.har'), JSON.stringify(har));
    return importHar(pathOf('x.har'), pathOf('c'), { header });
  };

  test.each([
    ['.response.content.text', { ...HAR_ENTRY, response: { ...HAR_ENTRY.response, content: { text: 5 } } }],
    ['', null],
    ['', 'text'],
    ['.request', { ...HAR_ENTRY, request: 'POST' }],
    ['.request.headers[0]', { ...HAR_ENTRY, request: { ...HAR_ENTRY.request, headers: [null] } }],
    ['.response.status', { ...HAR_ENTRY, response: { ...HAR_ENTRY.response, status: '200' } }],
    ['._assay.after', { ...HAR_ENTRY, _assay: { target: 5 } }],
  ])('are named in the error, and no cassette is created: entries[1]%s', async (path, malformed) => {
    const error: unknown = await importFile({ log: { entries: [HAR_ENTRY, malformed] } }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(HarError);
    expect(String(error)).toContain(`x.har: log.entries[1]${path} is missing or has another type`);
    expect(existsSync(pathOf('c'))).toBe(false);
  });
});
