import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { startUpstream } from '../proxy/testing/upstream.ts';
import { spawnAssay } from './testing/run-assay.ts';

const EVIL = '\u001b[2J\u009b31m\u202e ##[error]forged ##vso[task.setvariable variable=a]b';
const CONTROL_SEQUENCE = /[\p{Cc}\u202e]|##\w*\[/u;
let root = '';
let cassette = '';

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-words-'));
  cassette = join(root, 'cassette');
  const writer = createCassette(cassette, recordingHeader(`http://127.0.0.1:1/$(touch forged)${EVIL}/v1`));
  for (const target of ['/v1/models/a', `/v1/models/${EVIL}`]) {
    const recording = writer.begin({ method: 'GET', target, headers: [] });
    recording.response({ status: 200, reason: 'OK', headers: [['content-type', 'application/json']] });
    recording.piece(Buffer.from('{"id":"a"}'));
    await recording.end({ how: 'complete' });
  }
  writer.finish();
});
afterEach(() => rmSync(root, { recursive: true }));

function expectEscaped(text: string): void {
  expect(text).toContain('\\u001b');
  expect(text.split('\n').filter((line) => CONTROL_SEQUENCE.test(line))).toEqual([]);
}

/** Replays for a client whose only request has no recording; returns what assay prints about it. */
async function replayMiss(): Promise<string> {
  const client = "await fetch(process.env.OPENAI_BASE_URL + '/models/b')";
  const args = ['replay', cassette, '--', process.execPath, '--input-type=module', '-e', client];
  const { stderr } = await spawnAssay(args, { cwd: root });
  return stderr;
}

test('a replay escapes what it prints about a request without a recording', async () => {
  const stderr = await replayMiss();
  expectEscaped(stderr);
  expect(stderr).toContain('never requested: GET /v1/models/\\u001b');
});

test('a replay proposes no command with a base URL that contains shell code', async () => {
  expect(await replayMiss()).toContain('npx assay record --base-url URL --cassette');
});

test('a verification escapes requests of the cassette and responses of the service', async () => {
  const service = await startUpstream((_, res) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: EVIL, object: 1 })),
  );
  try {
    const { stdout } = await spawnAssay(['verify', cassette, '--base-url', service.url], { cwd: root });
    expectEscaped(stdout);
    expect(stdout).toContain('drift');
  } finally {
    await service.close();
  }
});

test('a search escapes the names of files in a cassette', async () => {
  mkdirSync(join(cassette, 'blobs'));
  writeFileSync(
    join(cassette, 'blobs', `a${EVIL}`),
    'sk-proj-0123456789abcdefghijT3BlbkFJ0123456789abcdefghij',
  );
  const { stdout } = await spawnAssay(['scan', cassette], { cwd: root });
  expectEscaped(stdout);
});
