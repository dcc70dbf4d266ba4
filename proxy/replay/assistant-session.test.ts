import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scanForSecrets } from '../../exchange/cassette/secret-scan.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { serveReference } from '../../reference/service.ts';
import { startRecorder } from '../record/record.ts';
import { runAssistantSession } from '../testing/assistant-session.ts';
import type { Chunking } from './chunking.ts';
import { startReplayer } from './replay.ts';

const CASSETTE = 'cassettes/assistant-session';
const KEY = 'sk-a-key-for-the-session';

// ASSAY_RECORD=1 records the session again.
test.runIf(process.env['ASSAY_RECORD'] === '1')('the session is recorded', async () => {
  rmSync(CASSETTE, { recursive: true, force: true });
  const reference = await serveReference({
    betaHeader: 'OpenAI-Beta',
    clock: () => 1_767_225_600_000,
    apiKey: KEY,
  });
  const recorder = await startRecorder({
    baseUrl: reference.url,
    cassette: CASSETTE,
    header: { betaHeader: 'OpenAI-Beta' },
  });
  await runAssistantSession(recorder.url, KEY);
  await recorder.close();
  await reference.close();
});

test('the recorded assistant session is replayed completely and equally in three chunkings, without a service', async () => {
  const runs: unknown[][] = [];
  const chunkings: readonly Chunking[] = [{ by: 'wire' }, { by: 'bytes', count: 5 }, { by: 'seed', seed: 3 }];
  for (const chunking of chunkings) {
    const replayer = await startReplayer({ cassettes: [CASSETTE], strict: true, chunking });
    runs.push(await runAssistantSession(replayer.url, 'sk-any-other-key-will-do'));
    expect(await replayer.close()).toMatchObject({ misses: [], unusedRecordings: [], failed: false });
  }
  const [wire, ...others] = runs;
  for (const other of others) expect(other).toEqual(wire);
  const text = JSON.stringify(wire);
  for (const event of ['thread.run.requires_action', 'thread.message.delta', 'thread.run.completed'])
    expect(text).toContain(event);
  expect(text).toContain('Sunny, 27 °C');
});

test('the recorded assistant session contains no secret', () => {
  expect(scanForSecrets(CASSETTE, new Redactor({ secrets: [KEY] }), 'known-and-shapes')).toEqual([]);
});
