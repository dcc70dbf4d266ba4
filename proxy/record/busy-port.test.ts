import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRecorder } from './record.ts';

test('a recorder whose port is in use leaves no files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-busy-'));
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo; // as: it listens on a port
  const cassette = join(folder, 'cassette');
  const options = { cassette, baseUrl: 'http://127.0.0.1:1/v1', port };
  try {
    await expect(startRecorder(options)).rejects.toThrow('EADDRINUSE');
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    await new Promise((resolve) => other.close(resolve));
    rmSync(folder, { recursive: true });
  }
});
