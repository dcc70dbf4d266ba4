import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { families } from '../schemas/index.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-partial-'));
let reference: Reference;
let service: TestUpstream;

beforeAll(async () => {
  reference = await serveReference();
  service = await startBreakingProxy(reference.url, [], {
    route: (target) => (/^\/v1\/(models|files|moderations)\b/.test(target) ? target : null),
  });
});

afterAll(async () => {
  await Promise.all([service.close(), reference.close()]);
  rmSync(folder, { recursive: true });
});

const only = ['model:*', 'file:id#*', 'moderation:id#*', 'thread:id#*', 'batch.list:*', 'assistant.v2:id#*'];

async function run(name: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const dir = join(folder, name);
  const where = ['--base-url', service.url, '--model', 'assistant=chat-large', '--report-dir', dir];
  const globs = only.flatMap((glob) => ['--only', glob]);
  const result = await runAssay(['run', ...where, ...globs, ...flags], { env });
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  return { ...result, report };
}

test('without --claim, a run with CI=true judges all families: missing operations fail the gate, and a printed command claims the offered families', async () => {
  const { code, stdout, stderr, report } = await run('whole', [], { CI: 'true' });
  expect(report.claims).toEqual(families());
  expect(stderr).not.toContain('The target offers');
  expect(report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([]);
  expect(code).toBe(1);
  expect(stdout).toContain('claimed, but not implemented:');
  const [, claimed] = /--claim (\S+)\n/.exec(stdout.slice(stdout.indexOf('to judge only what'))) ?? [];
  expect(claimed?.split(',').toSorted()).toEqual(['files', 'models', 'moderations']);
});

test('--claim auto detects what is offered, and prints what it assumed', async () => {
  const { code, report, stderr } = await run('auto', ['--claim', 'auto']);
  // Deleting a model requires one that the run has trained.
  expect([code, report.claims.toSorted()]).toEqual([
    0,
    ['files', 'listModels', 'moderations', 'retrieveModel'],
  ]);
  expect(stderr).toMatch(
    /^The target offers [a-z, ]+ and [a-z]+ \(8 of 63 operations\); models chat-large, .* and 7 more\.$/m,
  );
  expect(stderr).toContain('Not judged without --allow training: deleteModel.');
});

test.each(['', 'false'])('without --claim, a run with CI=%j judges what it detects', async (ci) => {
  const { report, stderr } = await run(`ci-${ci}`, [], { CI: ci });
  expect(report.claims.toSorted()).toEqual(['files', 'listModels', 'moderations', 'retrieveModel']);
  expect(stderr).toContain('The target offers');
});
