import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createEmbeddingsProject,
  EXTENSION,
  listIdsWith,
  startEmbeddings,
} from './testing/embeddings-project.ts';
import { runAssay } from './testing/run-assay.ts';

const { folder, judge } = createEmbeddingsProject();

test('the requirements of embeddings kill every mutant and accept every equivalent one', async () => {
  const server = await startEmbeddings();
  await judge(server.url, 'good');
  await server.close();
  const { code, stdout } = await runAssay(
    ['prove', join(folder, 'good/cassette'), '--extension', EXTENSION],
    { cwd: folder },
  );
  expect(stdout).toMatch(
    /^([\d,]+) of \1 mutants killed, 0 survived, 0 exceptions; [\d,]+ equivalent mutants, 0 of which failed/,
  );
  expect(stdout).toContain('69 requirements proved, 0 without evidence');
  expect(code).toBe(0);
});

test.each([
  ['reversed', 'embeddings.create.in-order'],
  ['counted-from-one', 'embeddings.create.in-order'],
  ['one-too-few', 'embeddings.create.one-per-text'],
  ['always-numbers', 'embeddings.create.in-form'],
  ['fixed-dimensions', 'embeddings.create.dimensions'],
  ['total-zero', 'embeddings.create.total-usage'],
  ['text-as-index', 'embeddings.Embedding:index#type'],
  ['no-usage', 'embeddings.EmbeddingList:usage#required'],
  ['unstable', 'embeddings.create.equal-texts'],
  ['takes-large-batches', 'embeddings.createEmbedding:body.input(array)#maxItems.rejected'],
  ['takes-any-form', 'embeddings.createEmbedding:body.encoding_format#enum.rejected'],
])('a server with the fault %s breaks %s, and at most two other requirements', async (fault, id) => {
  const server = await startEmbeddings(fault);
  try {
    const { code, report } = await judge(server.url, fault);
    expect(code).toBe(1);
    expect(listIdsWith(report, 'fail')).toContain(id);
    expect(listIdsWith(report, 'fail').length).toBeLessThan(4);
  } finally {
    await server.close();
  }
});
