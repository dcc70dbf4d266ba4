import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { runAssay, serveInProcess, startServing } from './testing/run-assay.ts';

test('a pattern that would take a backtracking engine forever delays neither traffic nor SIGTERM, and the next one redacts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-pattern-'));
  const server = createServer((_, res) => res.end(`${'a'.repeat(5_000)}!`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  const cassette = join(folder, 'c');
  const flags = ['--base-url', `http://127.0.0.1:${port}/v1`, '--cassette', cassette];
  try {
    const recorder = await serveInProcess([
      'record',
      ...flags,
      '--redact',
      'pattern:^(?:a+)+$',
      '--redact',
      'pattern:a{5}!',
    ]);
    expect((await (await fetch(`${recorder.url}/models`)).text()).length).toBe(5_001);
    expect(await recorder.stop('SIGTERM')).toBe(0);
    const [item] = (await readTrace(cassette)).items;
    expect(item !== undefined && 'request' in item && item.response?.body.text).toMatch(/^a{4995}rxxxxx$/);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('SIGTERM ends a recorder while a slow pattern searches large bodies', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-pattern-'));
  const large = `${'ab'.repeat(2_000_000)}!`;
  const server = createServer((_, res) => res.end(large));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  const cassette = join(folder, 'c');
  const flags = ['--base-url', `http://127.0.0.1:${port}/v1`, '--cassette', cassette];
  try {
    const slow = 'pattern:(?:a|b)*a(?:a|b){60}c';
    const recorder = await startServing(['record', ...flags, '--redact', slow]);
    const answers = [1, 2, 3].map(async () => (await (await fetch(`${recorder.url}/models`)).text()).length);
    await Promise.race(answers);
    // The first body is being searched now, or is about to be.
    expect(await recorder.stop('SIGTERM')).toBe(0);
    await Promise.allSettled(answers);
    const complete = (await readTrace(cassette)).items.filter(
      (item) => 'request' in item && item.end.how === 'complete',
    );
    expect(complete.length).toBeGreaterThan(0);
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a pattern that is not supported or too large to be fast is rejected, and named', async () => {
  const flags = ['--base-url', 'http://127.0.0.1:9/v1', '--cassette', join(tmpdir(), 'assay-never')];
  for (const pattern of ['(a+)\\1', '(?:(?:a?){40}){10}']) {
    const { code, stderr } = await runAssay(['record', ...flags, '--redact', `pattern:${pattern}`]);
    expect(code).toBe(2);
    expect(stderr).toContain(`pattern:${pattern} is `);
  }
});
