import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import OpenAIv1 from 'openai-v1';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRecorder } from '../record/record.ts';
import { recordSession, runOpenaiSession, SESSION_KEY } from '../testing/openai-session.ts';
import { type Chunking, parseChunking } from './chunking.ts';
import { startReplayer } from './replay.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-openai-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

// as: the two versions share all that is used here
const EarlierOpenAI = OpenAIv1 as unknown as typeof OpenAI;

async function replaySession(
  Client: typeof OpenAI,
  cassette: string,
  chunking?: Chunking,
): Promise<unknown[]> {
  const replayer = await startReplayer({
    cassettes: [cassette],
    strict: true,
    ...(chunking && { chunking }),
  });
  let seen: unknown[] = [];
  try {
    seen = await runOpenaiSession(replayer.url, 'sk-another-key-altogether', Client);
  } finally {
    const report = await replayer.close();
    expect(report).toMatchObject({ misses: [], unusedRecordings: [], failed: false });
  }
  return seen;
}

test.each([
  ['4.47.1', OpenAI],
  ['4.36.0', EarlierOpenAI],
])(
  'version %s of the client gets the same from the replay as live, with every kind of chunking and another key',
  async (_, Client) => {
    const cassette = join(root, 'c');
    const live = await recordSession(cassette, Client);
    expect(live.length).toBeGreaterThan(10);
    expect(await replaySession(Client, cassette)).toEqual(live);
    for (const name of [
      'event',
      'whole',
      'bytes:1',
      'bytes:7',
      'split-utf8',
      'split-crlf',
      'seed:1',
      'seed:2',
    ]) {
      const chunking = parseChunking(name) ?? expect.unreachable(`${name} is no chunking`);
      expect(await replaySession(Client, cassette, chunking), name).toEqual(live);
    }
  },
);

test('recording the same session again, or recording its replay, gives the same exchanges', async () => {
  const [first, second, third] = [join(root, 'a'), join(root, 'b'), join(root, 'c')];
  await recordSession(first);
  await recordSession(second);
  const replayer = await startReplayer({ cassettes: [first] });
  const recorder = await startRecorder({ baseUrl: replayer.url, cassette: third });
  // Another key of the same length, because its alias has the length of the key.
  await runOpenaiSession(recorder.url, SESSION_KEY.toUpperCase());
  await recorder.close();
  await replayer.close();
  const readLines = (dir: string) =>
    readFileSync(join(dir, 'cassette.jsonl'), 'utf8').split('\n').slice(1, -2);
  expect(readLines(second)).toEqual(readLines(first));
  expect(readLines(third)).toEqual(readLines(first));
});
