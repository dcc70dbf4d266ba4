import { randomBytes } from 'node:crypto';
import fs, { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/read.ts';
import { isNote } from '../exchange/trace.ts';
import { record } from './record.ts';
import { recordingBench } from './testing/recording-bench.ts';
import { bodyOf } from './testing/upstream.ts';

const bench = recordingBench();
const { through } = bench;

const ask = async (url: string, body: string) => (await fetch(`${url}/x`, { method: 'POST', body })).text();

/** A service that numbers its answers. */
function counting() {
  let n = 0;
  return through(async (req, res) => {
    n += 1;
    res.end(`${n} ${await bodyOf(req)}`);
  });
}

const cassetteText = () => readFileSync(join(bench.cassette(), 'cassette.jsonl'), 'utf8');

/** Stops the recorder of the bench and starts another on the same cassette and service. */
async function again(mode: 'record' | 'new' | 'auto') {
  const baseUrl = `http://${bench.serviceHost()}/v1`;
  await bench.stopRecorder();
  return record({ baseUrl, cassette: bench.cassette(), mode });
}

describe('a second recording into the same folder', () => {
  test('leaves the old cassette until the new one is complete', async () => {
    await ask((await counting()).url, 'a');
    const recorder = await again('record');
    const old = cassetteText();
    await ask(recorder.url, 'b');
    expect(cassetteText()).toBe(old);
    expect(await recorder.close()).toMatchObject({ recorded: 1, exchanges: 1 });
    expect(cassetteText()).toContain('"2 b"');
    expect(cassetteText()).not.toContain('"1 a"');
  });

  test('leaves it for good when nothing was recorded', async () => {
    await ask((await counting()).url, 'a');
    const recorder = await again('record');
    const old = cassetteText();
    await recorder.close();
    expect(cassetteText()).toBe(old);
    expect(existsSync(`${bench.cassette()}.recording`)).toBe(false);
  });

  test('in mode new answers what is known and adds what is not', async () => {
    await ask((await counting()).url, 'a');
    const recorder = await again('new');
    expect([
      await ask(recorder.url, 'a'),
      await ask(recorder.url, 'b'),
      await ask(recorder.url, 'a'),
    ]).toEqual(['1 a', '2 b', '3 a']);
    expect(await recorder.close()).toEqual({
      recorded: 2,
      exchanges: 3,
      replayed: 1,
      missed: 0,
      unrecorded: 0,
      upgraded: 0,
      unanswered: 0,
      unreachable: null,
      aside: null,
    });
    const third = await again('new');
    expect([await ask(third.url, 'a'), await ask(third.url, 'a'), await ask(third.url, 'b')]).toEqual([
      '1 a',
      '3 a',
      '2 b',
    ]);
    expect(await third.close()).toMatchObject({ recorded: 0, exchanges: 3, replayed: 3 });
  });

  test('in mode auto replays and calls no service', async () => {
    const first = await through(async (req, res) => res.end(await bodyOf(req)), { mode: 'auto' });
    await ask(first.url, 'a');
    const recorder = await again('auto');
    await bench.stopService();
    expect(await ask(recorder.url, 'a')).toBe('a');
    expect(await ask(recorder.url, 'b')).toContain('No recorded exchange answers');
    expect(await recorder.close()).toEqual({
      recorded: 0,
      exchanges: 1,
      replayed: 1,
      missed: 1,
      unrecorded: 0,
      upgraded: 0,
      unanswered: 0,
      unreachable: null,
      aside: null,
    });
  });
});

/** A disk that is full while the action runs: it takes half of what is written. */
async function onFullDisk(action: () => Promise<void>): Promise<void> {
  const { writeSync } = fs;
  fs.writeSync = (fd: number, bytes: unknown, ...[offset, length, position]: unknown[]) => {
    if (bytes instanceof Uint8Array) {
      const from = Number(offset ?? 0);
      const half = Math.floor(Number(length ?? bytes.length - from) / 2);
      writeSync(fd, bytes, from, half, typeof position === 'number' ? position : null);
    }
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  syncBuiltinESMExports();
  try {
    await action();
  } finally {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  }
}

describe('when the disk is full', () => {
  test('traffic is refused, and recorded again once there is room', async () => {
    const { url } = await counting();
    await ask(url, 'a');
    await onFullDisk(async () => {
      // The first one had gone out before the disk refused: it breaks. Those after it are answered by the recorder.
      await ask(url, 'b').catch(() => {});
      const answer = await fetch(`${url}/x`, { method: 'POST', body: 'c' });
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({
        error: {
          code: 'not_recorded',
          message: expect.stringMatching(/journal\.jsonl cannot be written: ENOSPC/),
        },
      });
    });
    expect(await ask(url, 'd')).toBe('3 d');
    const bodies = (await bench.recorded()).map(({ request }) => request.body.text);
    expect(bodies[0]).toBe('a');
    expect(bodies.at(-1)).toBe('d');
  });

  test('what can be written down only at its end breaks off, and the recorder lives on', async () => {
    // Nothing of a compressed body is written before its end, and what does not fit a line lies beside it.
    const coded = gzipSync(randomBytes(100_000));
    const { url } = await through((req, res) => {
      if (req.url === '/v1/coded') res.setHeader('content-encoding', 'gzip').end(coded);
      else res.end('plain');
    });
    const blobs = join(`${bench.cassette()}.recording`, 'blobs');
    writeFileSync(blobs, '');
    await expect(fetch(`${url}/coded`).then((answer) => answer.arrayBuffer())).rejects.toThrow();
    expect(await ask(url, 'a')).toBe('plain');
    rmSync(blobs);
    expect(await ask(url, 'b')).toBe('plain');
  });

  test('traffic passes unrecorded where that is wanted', async () => {
    const { url } = await through(async (req, res) => res.end(await bodyOf(req)), { onError: 'pass' });
    await onFullDisk(async () => {
      expect(await ask(url, 'a')).toBe('a');
      expect(await ask(url, 'b')).toBe('b');
    });
    expect(await ask(url, 'c')).toBe('c');
    expect(await bench.stopRecorder()).toMatchObject({ unrecorded: 2 });
  });
});

test('a folder that cannot be made, or is in use, is refused with a reason', async () => {
  const { url } = await counting();
  await ask(url, 'a');
  const baseUrl = url;
  await expect(record({ baseUrl, cassette: bench.cassette() })).rejects.toThrow(
    /is being recorded by process \d+/,
  );
  const file = join(dirname(bench.cassette()), 'file');
  writeFileSync(file, '');
  await expect(record({ baseUrl, cassette: join(file, 'c') })).rejects.toThrow(
    /cannot be made: E(NOTDIR|EXIST)/,
  );
  await expect(record({ baseUrl: 'ftp://x', cassette: file })).rejects.toThrow(/not a URL of HTTP/);
});

describe('what a killed recorder left', () => {
  /** As if killed now: the journal is there, and the lock of a process that is gone. */
  function left(name: string): string {
    const copy = `${bench.cassette()}-${name}`;
    fs.cpSync(`${bench.cassette()}.recording`, `${copy}.recording`, { recursive: true });
    writeFileSync(join(`${copy}.recording`, 'lock'), '999999999 1\n');
    return copy;
  }

  test('of a first recording is found under its name', async () => {
    await ask((await counting()).url, 'a');
    expect((await readTrace(left('read'))).items).toHaveLength(1);
  });

  test.each(['new', 'auto'] as const)('of a first recording answers in mode %s', async (mode) => {
    const { url: baseUrl } = await counting();
    await ask(baseUrl, 'a');
    const recorder = await record({ baseUrl, cassette: left(mode), mode });
    expect(await ask(recorder.url, 'a')).toBe('1 a');
    expect(await recorder.close()).toMatchObject({ recorded: 0, replayed: 1, exchanges: 1 });
  });

  test('of a first recording stays until another is complete', async () => {
    const { url: baseUrl } = await counting();
    await ask(baseUrl, 'a');
    const cassette = left('record');
    await (await record({ baseUrl, cassette })).close();
    const bodies = async () =>
      (await readTrace(cassette)).items.map((item) => !isNote(item) && item.request.body.text);
    expect(await bodies()).toEqual(['a']);
    const recorder = await record({ baseUrl, cassette });
    await ask(recorder.url, 'b');
    await recorder.close();
    expect(await bodies()).toEqual(['b']);
  });

  test('of a replacement replaces nothing', async () => {
    const { url: baseUrl } = await counting();
    await ask(baseUrl, 'a');
    const half = left('half');
    await bench.stopRecorder();
    fs.cpSync(bench.cassette(), half, { recursive: true });
    const journal = join(`${half}.recording`, 'journal.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"text":"a"', '"text":"z"'));
    expect((await readTrace(half)).items).toMatchObject([{ request: { body: { text: 'a' } } }]);
  });
});

test('while one recorder adds to a cassette no other replaces it, nor the other way round', async () => {
  const { url: baseUrl } = await counting();
  await ask(baseUrl, 'a');
  await bench.stopRecorder();
  const options = { baseUrl: `http://${bench.serviceHost()}/v1`, cassette: bench.cassette() };
  for (const [one, other] of [
    ['new', 'record'],
    ['record', 'new'],
  ] as const) {
    const first = await record({ ...options, mode: one });
    await expect(record({ ...options, mode: other })).rejects.toThrow(/is being recorded by process \d+/);
    await first.close();
  }
  expect((await readTrace(bench.cassette())).items).toHaveLength(1);
});

test('what rules keep out is known again in mode new', async () => {
  const redaction = { rules: [{ pointer: '/user' }, { pattern: '\\d{3}-\\d{4}' }] };
  const body = JSON.stringify({ user: 'somebody', say: 'call 555-1234' });
  const { url } = await through(async (req, res) => res.end(await bodyOf(req)), { redaction });
  expect(await ask(url, body)).toBe(body);
  await bench.stopRecorder();
  expect(cassetteText()).not.toMatch(/somebody|555-1234/);
  const baseUrl = `http://${bench.serviceHost()}/v1`;
  const recorder = await record({ baseUrl, cassette: bench.cassette(), mode: 'new', redaction });
  await ask(recorder.url, body);
  expect(await recorder.close()).toMatchObject({ recorded: 0, replayed: 1 });
});
