import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nock from 'nock';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { scanForSecrets } from '../exchange/cassette/secret-scan.ts';
import { exportHar } from '../exchange/har/write.ts';
import { Redactor } from '../exchange/redaction/redactor.ts';
import { takeSnapshot } from '../exchange/testing/snapshot.ts';
import { isNote } from '../exchange/trace.ts';
import { openRecordedTraffic } from '../pipeline/traffic/recorded-traffic.ts';
import { toNock } from '../proxy/adapters/nock.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { startReplayer } from '../proxy/replay/replay.ts';
import { verifyCassette } from '../proxy/verify/verify.ts';
import { runAssay } from './testing/run-assay.ts';

let root: string;
let dirs: { readonly finished: string; readonly unfinished: string };
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-link-'));
  const dir = join(root, 'c');
  dirs = { finished: join(root, 'finished'), unfinished: join(root, 'unfinished') };
  const cassette = createCassette(dir, recordingHeader('http://127.0.0.1:1/v1'));
  const recording = cassette.begin({ method: 'GET', target: '/v1/files', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: [['content-type', 'text/plain']] });
  recording.piece(Buffer.from('x'.repeat(20_000)));
  await recording.end({ how: 'complete' });
  await cassette.waitUntilWritten();
  cpSync(dir, dirs.unfinished, { recursive: true });
  cassette.finish();
  cpSync(dir, dirs.finished, { recursive: true });
  rmSync(join(dirs.unfinished, 'lock'), { force: true });
  // The blobs move behind the link, next to a folder that a command which follows the link might remove.
  mkdirSync(join(root, 'outside'));
  for (const [name, cassetteDir] of Object.entries(dirs)) {
    renameSync(join(cassetteDir, 'blobs'), join(root, 'outside', name));
    mkdirSync(join(root, 'outside', name, 'precious'));
    symlinkSync(join(root, 'outside', name), join(cassetteDir, 'blobs'));
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
// The next test file runs in the same process, where nock would intercept every request.
afterAll(() => nock.restore());

const LINK_ERROR = /blobs (?:must be a folder, but is|is not what a cassette has)/;
const runOrThrow = async (args: readonly string[]) => {
  const { code, stderr } = await runAssay(args, { cwd: root });
  expect(stderr).not.toMatch(/^\s+at /m);
  if (code !== 0) throw new Error(stderr);
};

const readers: Readonly<Record<string, (cassette: string) => unknown>> = {
  readTrace,
  show: (cassette) => runOrThrow(['show', cassette, 'e1']),
  har: (cassette) => exportHar(cassette, join(root, 'out.har')),
  scan: (cassette) => scanForSecrets(cassette, new Redactor(), 'known-and-shapes'),
  check: async (cassette) => {
    const traffic = await openRecordedTraffic([cassette]);
    try {
      for (const trace of traffic.traces())
        for await (const item of trace) if (!isNote(item)) item.response?.body.bytes?.at(0);
    } finally {
      traffic.close();
    }
  },
  verify: (cassette) => verifyCassette({ cassette, baseUrl: 'http://127.0.0.1:1/v1', key: null }),
  replay: async (cassette) => {
    const replayer = await startReplayer({ cassettes: [cassette], strict: false });
    try {
      const answer = await fetch(`${replayer.url}/files`);
      const text = await answer.text();
      expect([answer.status, text.includes('xxx')]).toEqual([500, false]);
      throw new Error(text);
    } finally {
      await replayer.close();
    }
  },
  toNock: async (cassette) => {
    const nocked = await toNock(cassette, { baseUrl: 'http://127.0.0.1:1/v1' });
    try {
      return await (await fetch(`${nocked.url}/files`)).text();
    } catch (error) {
      throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
    } finally {
      nocked.restore();
    }
  },
};

describe.each(['finished', 'unfinished'] as const)('if the blobs of a cassette (%s) are a link', (which) => {
  test.each(Object.keys(readers))('%s rejects it, and changes nothing behind it', async (name) => {
    const before = takeSnapshot(join(root, 'outside'));
    await expect((async () => readers[name]?.(dirs[which]))()).rejects.toThrow(LINK_ERROR);
    expect(takeSnapshot(join(root, 'outside'))).toEqual(before);
  });
});
