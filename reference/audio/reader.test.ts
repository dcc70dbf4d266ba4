import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { encodeSpeech } from './encode.ts';
import { AudioReader } from './reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-audio-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a recording that its reader never ends with is given up, and the next one is read', async () => {
  const flac = Buffer.from(await encodeSpeech('Good morning.', 'alloy', 1, 'flac'));
  const [whole, cut, text] = [
    ['whole.flac', flac],
    ['cut.flac', flac.subarray(0, 42)],
    ['text.flac', Buffer.from('no audio at all')],
  ].map(([name, bytes]) => {
    const path = join(folder, `${name}`);
    writeFileSync(path, bytes ?? '');
    return path;
  });
  const reader = new AudioReader(500);
  const results = await Promise.allSettled(
    [whole, cut, text, whole].map((path) => reader.duration(path ?? '')),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: { message: 'it takes too long' } });
  expect(results[3]).toEqual(results[0]);
});
