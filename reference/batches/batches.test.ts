import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serveReference } from '../service.ts';
import { createPlainClient, idOfObject, uploadPlainFile } from '../testing/plain-client.ts';

it('a batch skips the lines that have become invalid on disk, however many', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-batches-test-'));
  const { url, close } = await serveReference({ directory });
  try {
    const call = createPlainClient(url);
    const body = { model: 'embed-1', input: 'a' };
    const lines = Array.from({ length: 1_001 }, (_, n) =>
      JSON.stringify({ custom_id: `${n}`, method: 'POST', url: '/v1/embeddings', body }),
    );
    const input_file_id = await uploadPlainFile(url, 'in.jsonl', lines.join('\n'), 'batch');
    const request = { input_file_id, endpoint: '/v1/embeddings', completion_window: '24h' };
    const id = idOfObject((await call('POST', '/batches', request)).json);
    const readBatch = async () => (await call('GET', `/batches/${id}`)).json;
    const readStatus = async () => (await readBatch())['status'];
    expect(await readStatus()).toBe('in_progress');
    const [folder = ''] = await readdir(directory);
    const [name = ''] = await readdir(join(directory, folder));
    const path = join(directory, folder, name);
    expect(await readFile(path, 'utf8')).toBe(lines.join('\n'));
    await writeFile(path, 'invalid\n'.repeat(1_001));
    expect([await readStatus(), await readStatus(), await readStatus(), await readStatus()]).toEqual([
      'in_progress',
      'in_progress',
      'finalizing',
      'completed',
    ]);
    expect(await readBatch()).toMatchObject({
      request_counts: { total: 1_001, completed: 0, failed: 0 },
      output_file_id: null,
      error_file_id: null,
    });
  } finally {
    await close();
    await rm(directory, { recursive: true });
  }
});
