// Judges a public gateway in front of the reference. Every finding was checked against the specification by hand: this
// version clamps values to their limits instead of rejecting them, and fails on each response that it passes on as a
// stream.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai-v6';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRecorder } from '../proxy/record/record.ts';
import { startReplayer } from '../proxy/replay/replay.ts';
import { findFreePort } from '../proxy/testing/free-port.ts';
import { modelRoles } from '../reference/model/catalogue.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const PACKAGE = '@portkey-ai/gateway';
const folder = mkdtempSync(join(tmpdir(), 'assay-gateway-'));
let reference: Reference;
let gateway: ChildProcess;
let url = '';

beforeAll(async () => {
  reference = await serveReference({ pace: 5 });
  const port = await findFreePort();
  gateway = spawn(process.execPath, [findProgram(PACKAGE), `--port=${port}`, '--headless'], {
    stdio: 'ignore',
  });
  url = `http://127.0.0.1:${port}`;
  await waitForAnswer(url);
});

afterAll(async () => {
  gateway.kill();
  await reference.close();
  rmSync(folder, { recursive: true });
});

function findProgram(name: string): string {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const program = paths.map((path) => join(path, name, 'build', 'start-server.js')).find(existsSync);
  if (program === undefined) throw new Error(`${name} is not installed: npm ci`);
  return program;
}

async function waitForAnswer(origin: string): Promise<void> {
  await vi.waitUntil(
    () => {
      if (gateway.exitCode !== null) throw new Error(`The gateway ended with ${gateway.exitCode}.`);
      return fetch(origin).then(
        () => true,
        () => false,
      );
    },
    { timeout: 30_000, interval: 10 },
  );
}

const routeFields = () => ({ 'x-portkey-provider': 'openai', 'x-portkey-custom-host': reference.url });

test('a client sees the same responses through the gateway, live and replayed', async () => {
  const session = async (baseURL: string) => {
    const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0, defaultHeaders: routeFields() });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const request = { model: modelRoles.chat, messages };
    const refused = await client.chat.completions.create({ ...request, n: -1 }).catch(({ status }) => status);
    const replies = await Promise.all(
      [1, 2, 3].map((seed) => client.chat.completions.create({ ...request, seed })),
    );
    return { refused, replies, files: (await client.files.list()).data };
  };
  const cassette = join(folder, 'session');
  const recorder = await startRecorder({ baseUrl: `${url}/v1`, cassette });
  const live = await session(recorder.url);
  expect(await recorder.close()).toMatchObject({ recorded: 5, unrecorded: 0 });
  const replayer = await startReplayer({ cassettes: [cassette], strict: true });
  expect(await session(replayer.url)).toEqual(live);
  expect(await replayer.close()).toMatchObject({ misses: [], failed: false });
});

test('the failures are exactly the defects of the gateway', async () => {
  const roles = Object.entries(modelRoles).flatMap(([role, model]) => ['--model', `${role}=${model}`]);
  const fields = Object.entries(routeFields()).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  // Requests are sent one at a time: a failure that always coincides with others may be an outage, and stays undecided.
  const oneByOne = ['--concurrency', '1'];
  const flags = ['--claim', 'chat,files', ...oneByOne, '--report', 'terminal,json', '--report-dir', folder];
  const { code, stdout } = await runAssay(['run', '--base-url', `${url}/v1`, ...roles, ...fields, ...flags]);
  const { requirements } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  expect(code).toBe(1);
  expect(stdout).toContain(
    'streaming does not work at all in createChatCompletion: "stream": true is answered 500',
  );
  const failing = requirements.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []));
  const chat = 'createChatCompletion:body';
  expect(failing).toEqual([
    // The gateway answers 500 to each stream and each file content.
    'createChatCompletion:accepts',
    `${chat}#stream-options-need-stream.accepted`,
    // Values beyond a limit are clamped and accepted.
    `${chat}.frequency_penalty#maximum.rejected`,
    `${chat}.frequency_penalty#minimum.rejected`,
    `${chat}.presence_penalty#maximum.rejected`,
    `${chat}.presence_penalty#minimum.rejected`,
    `${chat}.stream#type.accepted`,
    `${chat}.stream_options#type.accepted`,
    `${chat}.stream_options.include_usage#type.accepted`,
    `${chat}.temperature#maximum.rejected`,
    `${chat}.temperature#minimum.rejected`,
    // Responses without JSON are passed on as streams.
    'retrieveFileContent:accepts',
    'retrieveFileContent:path.file_id#unknown.accepted',
  ]);
});
