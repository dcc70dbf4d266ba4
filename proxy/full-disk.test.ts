import { randomBytes } from 'node:crypto';
import fs, { existsSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { recoverCassette } from '../exchange/cassette/finish.ts';
import { createRecordFixture } from './testing/record-fixture.ts';
import { requestBodyOf } from './testing/upstream.ts';

const fixture = createRecordFixture();
const { start, startCountingService } = fixture;

const ask = async (url: string, body: string) => (await fetch(`${url}/x`, { method: 'POST', body })).text();

async function runOnFullDisk(action: () => Promise<void>): Promise<void> {
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
  test('traffic is rejected, and recorded again once there is space', async () => {
    const { url } = await startCountingService();
    await ask(url, 'a');
    await runOnFullDisk(async () => {
      // Lines wait in memory for a moment, so the first write fails too late to reject its own exchange.
      expect(await ask(url, 'b')).toBe('2 b');
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
    const bodies = (await fixture.readExchanges()).map(({ request }) => request.body.text);
    expect(bodies[0]).toBe('a');
    expect(bodies.at(-1)).toBe('d');
  });

  test('a response that can be recorded only at its end is forwarded whole, and the recorder continues', async () => {
    // A compressed body is written only at its end, this one to a blob, because it is too large for a line. A file in
    // place of the folder of blobs makes only that write fail.
    const coded = gzipSync(randomBytes(100_000));
    const { url } = await start((req, res) => {
      if (req.url === '/v1/coded') res.setHeader('content-encoding', 'gzip').end(coded);
      else res.end('plain');
    });
    const blobs = join(`${fixture.cassette()}.recording`, 'blobs');
    writeFileSync(blobs, '');
    const answer = await fetch(`${url}/coded`);
    expect((await answer.arrayBuffer()).byteLength).toBe(100_000);
    expect(await ask(url, 'a')).toBe('plain');
    rmSync(blobs);
    expect(await ask(url, 'b')).toBe('plain');
    expect(await fixture.stopRecorder()).toMatchObject({ unrecorded: 1 });
  });

  test('the failure is reported immediately, and not again until there has been space', async () => {
    const failures: string[] = [];
    const { url } = await start(async (req, res) => res.end(await requestBodyOf(req)), {
      onFailure: ({ message }) => failures.push(message),
    });
    await runOnFullDisk(async () => {
      await ask(url, 'a');
      expect(failures).toEqual([expect.stringMatching(/journal\.jsonl cannot be written: ENOSPC/)]);
      await ask(url, 'b');
      expect(failures).toHaveLength(1);
    });
    await ask(url, 'c');
    await runOnFullDisk(async () => {
      await ask(url, 'd');
    });
    expect(failures).toHaveLength(2);
  });

  test('a half-written blob is removed', async () => {
    const { url } = await start(async (req, res) => res.end(await requestBodyOf(req)), { onError: 'pass' });
    const blobs = join(`${fixture.cassette()}.recording`, 'blobs');
    await runOnFullDisk(async () => {
      expect(await ask(url, 'x'.repeat(100_000))).toHaveLength(100_000);
      expect(fs.readdirSync(blobs)).toEqual([]);
    });
    expect(await ask(url, 'after')).toBe('after');
    await ask(url, 'x'.repeat(100_000));
    expect(fs.readdirSync(blobs)).not.toEqual([]);
  });

  test('a recording that cannot be finished is kept, named, readable on the full disk, and recovered later', async () => {
    const { url } = await startCountingService();
    await ask(url, 'a');
    await ask(url, 'x'.repeat(20_000));
    const work = `${fixture.cassette()}.recording`;
    await runOnFullDisk(async () => {
      await expect(fixture.stopRecorder()).rejects.toThrow(
        `The recording is kept in ${work}, and can be read there. It is complete, with 2 exchanges.`,
      );
      expect((await readTrace(fixture.cassette())).items).toHaveLength(2);
      expect((await readTrace(work)).items).toHaveLength(2);
    });
    expect(fs.readdirSync(work).toSorted()).toEqual(['blobs', 'journal.jsonl']);
    recoverCassette(fixture.cassette());
    expect((await readTrace(fixture.cassette())).items).toHaveLength(2);
    expect(existsSync(work)).toBe(false);
  });

  test('a single exchange of a recording that cannot be finished is counted in the singular', async () => {
    const { url } = await startCountingService();
    await ask(url, 'a');
    await runOnFullDisk(async () => {
      await expect(fixture.stopRecorder()).rejects.toThrow(
        'It is complete, with 1 exchange. When there is room',
      );
    });
  });

  test('a recording that cannot be finished says how many exchanges are incomplete', async () => {
    const { url } = await startCountingService();
    await ask(url, 'a');
    await runOnFullDisk(async () => {
      expect(await ask(url, 'b')).toBe('2 b');
      await expect(fixture.stopRecorder()).rejects.toThrow('1 of 2 exchanges is incomplete or missing.');
    });
  });

  test('traffic passes unrecorded if that is allowed', async () => {
    const { url } = await start(async (req, res) => res.end(await requestBodyOf(req)), { onError: 'pass' });
    await runOnFullDisk(async () => {
      expect(await ask(url, 'a')).toBe('a');
      expect(await ask(url, 'b')).toBe('b');
    });
    expect(await ask(url, 'c')).toBe('c');
    expect(await fixture.stopRecorder()).toMatchObject({ unrecorded: 2 });
  });
});
