import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCassette } from '../../exchange/cassette/cassette.ts';
import { placeholderBoundary } from '../../exchange/cassette/form-boundary.ts';
import { startReplayer } from '../replay/replay.ts';
import { bundle } from '../testing/bundle.ts';
import { startUpstream, type TestUpstream } from '../testing/upstream.ts';

const MEBIBYTE = 1024 * 1024;
const PIECE = Buffer.alloc(MEBIBYTE, 'abcdefg\n');
/** Together, the pieces are larger than the memory that a recorder or replayer may use. */
const PIECE_COUNT = 256;
const SIZE = PIECE.length * PIECE_COUNT;
const BOUNDARY = 'a-boundary-of-some-length';
const HEAD =
  '--a-boundary-of-some-length\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--a-boundary-of-some-length\r\nContent-Disposition: form-data; name="file"; filename="large.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n';
const TAIL = '\r\n--a-boundary-of-some-length--\r\n';

let root: string;
let service: TestUpstream;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-large-'));
  service = await startUpstream(async (req, res) => {
    if (req.method === 'GET') await pipeline(Readable.from(pieces()), res);
    else {
      let size = 0;
      for await (const piece of req) size += piece.length;
      res.end(JSON.stringify({ size }));
    }
  });
});
afterEach(async () => {
  await service.close();
  rmSync(root, { recursive: true, force: true });
});

function* pieces(): Generator<Buffer> {
  for (let i = 0; i < PIECE_COUNT; i += 1) yield PIECE;
}

function* form(boundary = BOUNDARY): Generator<Buffer> {
  yield Buffer.from(HEAD.replaceAll(BOUNDARY, boundary));
  yield* pieces();
  yield Buffer.from(TAIL.replaceAll(BOUNDARY, boundary));
}

function digestOf(content: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const piece of content) hash.update(piece);
  return hash.digest('hex');
}

async function measurePeakMemory(cassette: string, action: (url: string) => Promise<void>): Promise<number> {
  mkdirSync(join(root, 'program'), { recursive: true });
  const program = await bundle('proxy/testing/recorder-process.ts', join(root, 'program'));
  const child = spawn(process.execPath, [program, service.url, cassette], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [url] = await once(createInterface(child.stdout), 'line');
  await action(String(url));
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  child.kill('SIGTERM');
  await exit;
  return Number(kilobytes) * 1024;
}

function send(
  url: string,
  method: string,
  body: Readable | null,
): Promise<{ size: number; sha256: string; text: string }> {
  return new Promise((resolve, reject) => {
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const outgoing = request(
      url,
      { method, headers: body === null ? {} : { 'content-type': type } },
      async (res) => {
        const hash = createHash('sha256');
        let size = 0;
        let text = '';
        for await (const piece of res) {
          size += piece.length;
          hash.update(piece);
          if (size < 1_000) text += piece;
        }
        resolve({ size, sha256: hash.digest('hex'), text });
      },
    );
    outgoing.on('error', reject);
    if (body === null) outgoing.end();
    else pipeline(body, outgoing).catch(reject);
  });
}

const isLinux = process.platform === 'linux';

test.runIf(isLinux)(
  'an upload of 256 MiB passes in bounded memory, and is kept as digest and parts',
  async () => {
    const cassette = join(root, 'up');
    const memory = await measurePeakMemory(cassette, async (url) => {
      const { text } = await send(`${url}/files`, 'POST', Readable.from(form()));
      expect(JSON.parse(text)).toEqual({ size: SIZE + HEAD.length + TAIL.length });
    });
    expect(memory).toBeLessThan(150 * MEBIBYTE);
    const opened = await openCassette(cassette);
    const { body } = opened.exchange(0).request;
    opened.close();
    expect(body).toMatchObject({ size: SIZE + HEAD.length + TAIL.length, bytes: null });
    expect(body.sha256).toBe(digestOf(form(placeholderBoundary(BOUNDARY))));
    expect(body.parts).toMatchObject([
      { name: 'purpose', body: { text: 'batch' } },
      {
        name: 'file',
        filename: 'large.jsonl',
        type: 'application/jsonl',
        body: { size: SIZE, sha256: digestOf(pieces()) },
      },
    ]);
  },
);

test.runIf(isLinux)(
  'a download of 256 MiB passes in bounded memory, is kept whole, and is replayed in bounded memory',
  async () => {
    const cassette = join(root, 'down');
    let seen = { size: 0, sha256: '', text: '' };
    const memory = await measurePeakMemory(cassette, async (url) => {
      seen = await send(`${url}/files/f/content`, 'GET', null);
    });
    expect(memory).toBeLessThan(150 * MEBIBYTE);
    const opened = await openCassette(cassette);
    const body = opened.exchange(0).response?.body;
    opened.close();
    expect(seen.size).toBe(SIZE);
    expect({ size: body?.size, sha256: body?.sha256 }).toMatchObject({ size: SIZE, sha256: seen.sha256 });

    const memoryBefore = process.memoryUsage.rss();
    let peak = 0;
    const replayer = await startReplayer({ cassettes: [cassette] });
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const again = await send(`${replayer.url}/files/f/content`, 'GET', null);
    clearInterval(watch);
    await replayer.close();
    expect(again).toEqual(seen);
    expect(peak - memoryBefore).toBeLessThan(150 * MEBIBYTE);
  },
);
