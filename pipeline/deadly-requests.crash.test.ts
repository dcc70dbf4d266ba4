import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings } from '../drive/configuration/settings.ts';
import { run } from './run.ts';
import { type MortalServer, superviseMortalServer } from './testing/mortal-server.ts';

let folder: string;
let server: MortalServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-deadly-'));
  server = await superviseMortalServer();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('requests that crash the server are reported as failures, and the run continues without them', async () => {
  // On a busy machine, the server may take longer to restart than a run waits by default.
  const flags = { baseUrl: server.url, claim: 'auto', waitFor: 60, report: [], reportDir: folder };
  const { report } = await run(readSettings({ flags, env: {}, file: null, readText: () => '' }));
  expect([report.stopReason, report.claims]).toEqual(['completed', expect.arrayContaining(['chat'])]);
  const findRequirement = (id: string) => report.requirements.find((one) => one.id === id);
  expect(findRequirement('createChatCompletion:body#type.rejected')).toMatchObject({
    verdict: 'fail',
    findings: [{ actual: 'no answer', exchange: expect.stringMatching(/^e\d+$/) }],
  });
  expect(findRequirement('createChatCompletion:accepts')).toMatchObject({
    verdict: 'fail',
    // Two valid requests crash the server, one of them streamed; requests in flight with them are not blamed.
    findings: [
      {
        at: 'connection closed on requests with body.top_p<default',
        actual: expect.stringMatching(
          /^closes the connection on body\.top_p<default: 2 of 2 requests with it, 0 of /,
        ),
      },
    ],
  });
  for (const id of [
    'chat.stream.done-ends-stream',
    'chat.completion:id#required',
    'model.list:data#required',
  ])
    expect([id, findRequirement(id)?.verdict]).toEqual([id, 'pass']);
  // Three requests crash the server, one of them invalid. Each is sent once concurrently with others and once alone,
  // or three times if the server restarts before its absence is noticed.
  const countByBody = new Map<string, number>();
  for (const body of server.deadlyBodies) countByBody.set(body, (countByBody.get(body) ?? 0) + 1);
  expect([...countByBody.keys()].toSorted()[0]).toBe('["assay"]');
  expect([...countByBody.values()].map((count) => count >= 2 && count <= 3)).toEqual([true, true, true]);
});
