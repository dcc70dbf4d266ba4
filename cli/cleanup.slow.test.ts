import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveReference } from '../reference/service.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { listFilesOnTarget } from './testing/files-on-target.ts';
import { runAssay } from './testing/run-assay.ts';

test('a file that is not a ledger is rejected', async () => {
  const { code, stderr } = await runAssay(['cleanup', '--ledger', 'package.json']);
  expect(code).toBe(2);
  expect(stderr).toContain('package.json is not the ledger of a run');
});

test('a control character in the URL of a ledger does not reach the terminal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-cleanup-'));
  const ledger = join(folder, 'ledger.jsonl');
  const url = 'http://127.0.0.1:9/v1';
  const header = { ledger: 1, baseUrl: `${url}\u001b`, betaHeader: 'Vendor-Beta', tag: 'assay-0123456789' };
  writeFileSync(ledger, `${JSON.stringify(header)}\n`);
  const { code, stdout } = await runAssay(['cleanup', '--ledger', ledger, '--base-url', url]);
  rmSync(folder, { recursive: true });
  expect([code, stdout]).toEqual([0, `0 objects gone from ${url}\\u001b, 0 left\n`]);
});

test('objects of a target with other paths are removed at the paths that the ledger names', async () => {
  const reference = await serveReference();
  const proxy = await startBreakingProxy(reference.url, [], {
    route: (path) => (path.startsWith('/v1/documents') ? path.replace('/v1/documents', '/v1/files') : null),
  });
  const folder = mkdtempSync(join(tmpdir(), 'assay-cleanup-'));
  onTestFinished(async () => {
    await Promise.all([proxy.close(), reference.close()]);
    rmSync(folder, { recursive: true });
  });
  const form = new FormData();
  form.set('purpose', 'assistants');
  form.set('file', new File(['text'], 'notes.txt'));
  const response = await fetch(`${reference.url}/files`, { method: 'POST', body: form });
  const { id } = (await response.json()) as { id: string }; // as: a file of the reference
  const tag = 'assay-0123456789';
  const paths = { '/v1/files': '/v1/documents', '/v1/files/{file_id}': '/v1/documents/{file_id}' };
  const lines = [
    { ledger: 1, baseUrl: proxy.url, betaHeader: 'Vendor-Beta', tag, paths },
    { intent: 1, scenario: 'files.life', operation: 'createFile', tag: `${tag}-1` },
    { made: 1, id },
  ];
  const ledger = join(folder, 'ledger.jsonl');
  writeFileSync(ledger, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { code, stdout } = await runAssay(['cleanup', '--ledger', ledger, '--base-url', proxy.url]);
  expect([code, stdout]).toEqual([0, `1 object gone from ${proxy.url}, 0 left\n`]);
  expect(await listFilesOnTarget(reference.url)).toEqual([]);
});
