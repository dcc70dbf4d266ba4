import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { runAssay, serveInProcess, startServing } from './testing/run-assay.ts';

let folder: string;
let reference: Reference;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-unrecorded-'));
  reference = await serveReference();
});
afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true });
});

/** Writes a module that makes every journal write fail, as on a full disk, while the file `marker` exists. */
function writeFullDiskModule(marker: string): string {
  const module = join(folder, 'full-disk.mjs');
  writeFileSync(
    module,
    `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { writeSync, openSync, existsSync } = fs;
const journals = new Set();
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  if (String(path).endsWith('journal.jsonl')) journals.add(fd);
  return fd;
};
fs.writeSync = (fd, ...rest) => {
  if (journals.has(fd) && existsSync(${JSON.stringify(marker)}))
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  return writeSync(fd, ...rest);
};
syncBuiltinESMExports();
`,
  );
  return module;
}

test('a watch that saw CONNECT exits with 1 although nothing is violated', async () => {
  const flags = ['--base-url', reference.url, '--report-dir', join(folder, 'connect')];
  const watch = await serveInProcess(['watch', ...flags]);
  expect((await fetch(`${watch.url}/models`)).status).toBe(200);
  const { hostname, port } = new URL(watch.url);
  const socket = connect(Number(port), hostname);
  socket.write('CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n\r\n');
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(await watch.stop('SIGINT')).toBe(1);
  expect(watch.printed.stderr).toContain('1 connection (upgrade or CONNECT) neither recorded nor judged\n');
  // as: its schema is tested elsewhere
  const report = JSON.parse(readFileSync(join(folder, 'connect', 'report.json'), 'utf8')) as Report;
  expect(report.summary.exitCode).toBe(0);
});

test('a watch whose disk fails blames the disk, not a limit, and continues', async () => {
  const fullDiskMarker = join(folder, 'is-full');
  const flags = ['--base-url', reference.url, '--report-dir', join(folder, 'disk')];
  const watch = await startServing(['watch', ...flags], {
    env: { NODE_OPTIONS: `--import=${writeFullDiskModule(fullDiskMarker)}` },
  });
  let errors = '';
  watch.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  expect((await fetch(`${watch.url}/models`)).status).toBe(200);
  writeFileSync(fullDiskMarker, '');
  const during = await (await fetch(`${watch.url}/models`)).text();
  rmSync(fullDiskMarker);
  expect(during).not.toBe('');
  expect((await fetch(`${watch.url}/models`)).status).toBe(200);
  expect(await watch.stop('SIGINT')).toBe(1);
  expect(errors).toContain('ENOSPC');
  expect(errors).toContain('1 exchange passed unrecorded: the cassette could not be written\n');
  expect(errors).not.toContain('--max-disk');
});

test('record counts the connections that it forwards without recording, and exits with 1', async () => {
  const { url, close } = await startUpstream((_, response) => response.end('{}'));
  const upgrade = `const { port } = new URL(process.env.OPENAI_BASE_URL);
    const socket = require('net').connect(port, '127.0.0.1');
    socket.write('GET /v1/realtime HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
    socket.resume();`;
  const flags = ['--base-url', url, '--cassette', join(folder, 'upgraded')];
  const { code, stderr } = await runAssay(['record', ...flags, '--', process.execPath, '-e', upgrade]);
  await close();
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('1 connection (upgraded, or requested by CONNECT) unrecorded'),
  ]);
});
