import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { ResourceLedger } from './cleanup/resource-ledger.ts';
import { PreflightClient } from './preflight/preflight-client.ts';
import { type ResumeState, readPreviousRun } from './resume-state.ts';
import { RunSession } from './run-session.ts';
import type { CallInput } from './scenario/scenario.ts';
import {
  fileService,
  folder,
  isolateRuns,
  listenForTest,
  sendJson,
  testConfiguration,
} from './testing/runs.ts';

isolateRuns();

const scenario = 'files.streamed';
const settings = (url: string) => testConfiguration(url, { timeout: '300' });

function streamedUpload(text: string, bytes: number): CallInput {
  const file = { name: 'file', repeated: { text, bytes }, filename: 'x.txt', type: 'text/plain' };
  return { form: [{ name: 'purpose', value: 'batch' }, file] };
}

async function recordUploads(
  requestListener: RequestListener,
  inputs: readonly CallInput[],
): Promise<[url: string, ResumeState]> {
  const { url } = await listenForTest(requestListener);
  const dir = join(folder, 'cassette');
  const file = join(folder, 'ledger.jsonl');
  const cassette = createCassette(dir, traceHeader(), { collect: true });
  const session = new RunSession(settings(url), cassette, new PreflightClient(settings(url)));
  const ledger = ResourceLedger.create(file, {
    ledger: 1,
    baseUrl: url,
    betaHeader: 'Vendor-Beta',
    tag: 'tag',
  });
  ledger.recordIntent(scenario, 'createFile', 'tag');
  for (const input of inputs) await session.sendCall({ scenario }, 'createFile', input);
  session.note({ note: 'deadline', scenario, exchange: 'e1', state: 'running', tag: 'tag' });
  await session.close();
  cassette.finish();
  ledger.close();
  const resumeState = (await readPreviousRun(dir, file)).resumeStates.get(scenario);
  if (resumeState === undefined) throw new Error(`No state to resume ${scenario} from.`);
  return [url, resumeState];
}

// A cassette does not keep request bodies of the second size.
test.for([100_000, 17 * 1024 * 1024])(
  'a streamed body of %i bytes is recognised by its content',
  async (bytes) => {
    const [url, resumeState] = await recordUploads(fileService(new Map()), [
      streamedUpload('a', bytes),
      streamedUpload('b', bytes),
    ]);
    const recall = async (text: string, size = bytes) => {
      const exchange = await resumeState.take(settings(url), 'createFile', streamedUpload(text, size));
      return exchange?.response?.body.json?.value;
    };
    expect(await recall('c')).toBeUndefined();
    expect(await recall('b', bytes - 1)).toBeUndefined();
    expect(await recall('b')).toMatchObject({ id: 'file-2' });
    expect(await recall('a')).toMatchObject({ id: 'file-1' });
    expect(resumeState.hasMore).toBe(false);
  },
);

test('a streamed body that the target refused early is recognised by its size', async () => {
  const bytes = 64 * 1024 * 1024;
  const [url, resumeState] = await recordUploads(
    (request, response) => {
      request.once('data', () => {
        request.pause();
        sendJson(response, 413, { error: {} });
      });
    },
    [streamedUpload('a', bytes)],
  );
  for (const otherSize of [1000, bytes + 1])
    expect(await resumeState.take(settings(url), 'createFile', streamedUpload('a', otherSize))).toBeNull();
  const exchange = await resumeState.take(settings(url), 'createFile', streamedUpload('a', bytes));
  expect(exchange?.response?.status).toBe(413);
  expect(exchange?.request.body.size).toBeLessThan(bytes);
});
