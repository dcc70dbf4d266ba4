import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createProjectWithExamples } from '../extension/testing/project.ts';
import { type RERANK_FAULTS, startRerankServer } from '../extension/testing/rerank-server.ts';
import { startEmbeddings } from './testing/embeddings-project.ts';
import { readReportIn } from './testing/judged-reference.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = createProjectWithExamples();
afterAll(() => rmSync(folder, { recursive: true }));

async function judgeServer(url: string, name: string, model: string) {
  const extensionFlags = ['--extension', `extension/shipped/${name}/extension.json`];
  const flags = ['--base-url', url, '--claim', name, '--model', `${name}.model=${model}`, '--report', 'json'];
  const { code, stderr } = await runAssay(['run', ...extensionFlags, ...flags], { cwd: folder });
  const report = readReportIn(join(folder, 'assay-report'));
  const listIds = (...verdicts: readonly string[]) =>
    report.requirements
      .filter(({ id, verdict }) => id.startsWith(`${name}.`) && verdicts.includes(verdict))
      .map(({ id }) => id);
  return { code, stderr, report, listIds, extensionFlags };
}

function proveTraffic(extensionFlags: readonly string[]) {
  return runAssay(['prove', 'assay-report/cassette', ...extensionFlags], { cwd: folder });
}

describe('embeddings', () => {
  test('the example server conforms with evidence for every requirement, and no mutant of its traffic survives', async () => {
    const server = await startEmbeddings();
    const { code, stderr, report, listIds, extensionFlags } = await judgeServer(
      server.url,
      'embeddings',
      'text-embedding-tiny',
    );
    await server.close();
    expect([code, listIds('fail', 'warn', 'inconclusive', 'untested')], stderr).toEqual([0, []]);
    expect(listIds('pass')).toContain('embeddings.create.forms-agree');
    expect(report.choices).toContainEqual(
      expect.objectContaining({ id: 'embeddings.create.dimensions', taken: ['as asked'] }),
    );
    const { code: proofCode, stdout } = await proveTraffic(extensionFlags);
    expect(stdout).toMatch(/0 survived, 0 exceptions; [\d,]+ equivalent mutants, 0 of which failed/);
    expect(proofCode).toBe(0);
  });

  // Real servers have models of one size, or accept larger batches: neither may count as a failure.
  test.each(['fixed-dimensions', 'takes-large-batches'])(
    'a server with the option %s fails no requirement',
    async (option) => {
      const server = await startEmbeddings(option);
      const { code, listIds } = await judgeServer(server.url, 'embeddings', 'text-embedding-tiny');
      await server.close();
      expect([code, listIds('fail')]).toEqual([0, []]);
    },
  );
});

describe('rerank', () => {
  test('a server that ranks conforms with evidence for every requirement, and no mutant of its traffic survives', async () => {
    const server = await startRerankServer();
    const { code, stderr, listIds, extensionFlags } = await judgeServer(server.url, 'rerank', 'tiny');
    await server.close();
    expect([code, listIds('fail', 'warn', 'inconclusive', 'untested')], stderr).toEqual([0, []]);
    expect(listIds('pass')).toContain('rerank.create.own-text');
    const { code: proofCode, stdout } = await proveTraffic(extensionFlags);
    expect(stdout).toMatch(/0 survived, 0 exceptions; [\d,]+ equivalent mutants, 0 of which failed/);
    expect(proofCode).toBe(0);
  });

  test.each<[keyof typeof RERANK_FAULTS, string]>([
    ['unsorted', 'rerank.create.ordered'],
    ['counted-from-one', 'rerank.create.places'],
    ['one-too-few', 'rerank.create.number'],
    ['text-as-score', 'rerank.RankedDocument:relevance_score#type'],
    ['other-text', 'rerank.create.own-text'],
  ])('a server with the fault %s breaks %s and at most one other requirement', async (fault, id) => {
    const server = await startRerankServer(fault);
    const { listIds } = await judgeServer(server.url, 'rerank', 'tiny');
    await server.close();
    expect(listIds('fail', 'warn')).toContain(id);
    expect(listIds('fail', 'warn').length).toBeLessThan(3);
  });
});
