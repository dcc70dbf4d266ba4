// The runtime prints no deprecation warning about the proxy or its packages; Node 24 warns about more than
// Node 20.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import { spawnAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-deprecations-'));
const CLIENT = `
const url = process.env.OPENAI_BASE_URL;
await (await fetch(url + '/models')).text();
const { connect } = await import('node:net');
const socket = connect(new URL(url).port, '127.0.0.1');
socket.end('GET /v1/live HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
socket.resume();
await new Promise((resolve) => socket.once('close', resolve));
`;
let reference: Reference;

beforeAll(async () => {
  reference = await serveReference();
});

afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true });
});

test.each(['record', 'replay', 'watch'])('assay %s prints no deprecation warning', async (command) => {
  const cassette = join(folder, 'session');
  const flags = {
    record: ['--base-url', reference.url, '--cassette', cassette],
    replay: [cassette, '--no-strict'],
    watch: ['--base-url', reference.url, '--report', 'json', '--report-dir', join(folder, 'watch')],
  }[command];
  const client = [process.execPath, '--input-type=module', '-e', CLIENT];
  const env = { NODE_OPTIONS: '--trace-deprecation' };
  const { code, stderr } = await spawnAssay([command, ...(flags ?? []), '--', ...client], { env });
  expect(stderr).not.toMatch(/DEP0\d+|DeprecationWarning/);
  // The upgrade, which is neither recorded nor replayed, makes the exit code 1.
  expect(code).toBe(1);
});
