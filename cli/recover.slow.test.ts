import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { runAssay, spawnAssay } from './testing/run-assay.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-recover-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function recordInterrupted(dir: string, mode: 'create' | 'replace'): Promise<void> {
  const cassette = createCassette(dir, traceHeader(), { mode });
  const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
  recording.response({ status: 200, reason: 'OK', headers: [] });
  recording.piece(Buffer.from(`{"object":"list","data":["${'x'.repeat(10_000)}"]}`));
  await recording.end({ how: 'complete' });
  cassette.close();
}

const readFiles = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        join(entry.parentPath, entry.name) +
        (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'base64') : ''),
    )
    .toSorted();

test('commands that read an interrupted recording leave it unchanged', async () => {
  const dir = join(root, 'c');
  await recordInterrupted(dir, 'replace');
  const before = readFiles();
  const outputs = mkdtempSync(join(tmpdir(), 'assay-recover-outputs-'));
  const shown = await runAssay(['show', dir, 'e1']);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('GET /v1/models')]);
  const scanned = await spawnAssay(['scan', dir]);
  expect([scanned.code, scanned.stderr]).toEqual([0, expect.not.stringContaining('interrupted')]);
  expect((await runAssay(['har', dir, '--out', join(outputs, 'c.har')])).code).toBe(0);
  const checked = await spawnAssay(['check', dir, '--report', 'json', '--report-dir', outputs]);
  expect(checked.stderr).toContain(
    `warning: The recording in ${dir} was interrupted. Finish it: npx assay recover ${dir}\n`,
  );
  expect(checked.stderr).not.toContain('(node:');
  expect(checked.stderr).not.toContain('assay failed');
  rmSync(outputs, { recursive: true });
  expect(readFiles()).toEqual(before);
});

test('recover finishes an interrupted recording', async () => {
  const dir = join(root, 'c');
  await recordInterrupted(dir, 'replace');
  const recovered = await runAssay(['recover', dir]);
  expect([recovered.code, recovered.stdout]).toEqual([0, `${dir}: recovered, 1 exchange\n`]);
  expect(readdirSync(dir).toSorted()).toEqual(['blobs', 'cassette.jsonl', 'timing.jsonl']);
  expect((await runAssay(['recover', dir])).stdout).toBe(`${dir}: nothing to recover, 1 exchange\n`);
});

test('an interrupted replacement is reported, and completed in place', async () => {
  const dir = join(root, 'c');
  await recordInterrupted(dir, 'create');
  expect((await runAssay(['recover', dir])).code).toBe(0);
  await recordInterrupted(dir, 'replace');
  const { stdout } = await runAssay(['recover', dir]);
  expect(stdout).toContain(`Recover it with: npx assay recover ${dir}.recording`);
  expect((await runAssay(['recover', `${dir}.recording`])).stdout).toBe(
    `${dir}.recording: recovered, 1 exchange\n`,
  );
  expect(readdirSync(`${dir}.recording`).toSorted()).toEqual(['blobs', 'cassette.jsonl', 'timing.jsonl']);
});

test('a replacement that is still being recorded is not called interrupted', async () => {
  const dir = join(root, 'c');
  await recordInterrupted(dir, 'create');
  await runAssay(['recover', dir]);
  const recorder = createCassette(dir, traceHeader(), { mode: 'replace' });
  const { code, stdout } = await spawnAssay(['recover', dir]);
  recorder.finish();
  expect([code, stdout]).toEqual([0, `${dir}: nothing to recover, 1 exchange\n`]);
});

test('a folder that does not exist is rejected', async () => {
  const { code, stderr } = await runAssay(['recover', join(root, 'nothing')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('does not contain a cassette')]);
});
