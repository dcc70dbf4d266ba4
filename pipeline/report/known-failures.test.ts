import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readBaseline } from '../../judge/verdict/baseline.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { sampleReport } from '../../reports/samples/sample.ts';
import { applyKnownFailures } from './known-failures.ts';

let file: string;
beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'assay-known-'));
  file = join(dir, 'assay-baseline.json');
  return () => rmSync(dir, { recursive: true });
});

/** One failure, and MUSTs that were not decided: one for what the target does, one for want of capacity. */
function judgement(): Judgement {
  const { report } = sampleReport('broken');
  const failing = report.requirements.find(({ verdict }) => verdict === 'fail');
  const open = report.requirements.find(({ verdict }) => verdict === 'inconclusive');
  if (failing === undefined || open === undefined) throw new Error('the sample has both');
  const capacity = { kind: 'capacity', exchange: 'e3', arrival: null } as const;
  const requirements = [failing, open, { ...open, id: 'chat.busy', cause: capacity }];
  return { ...report, errata: [], requirements, stopReason: 'completed' };
}

test('what a baseline cannot accept is not written, and named with its cause', () => {
  const write = { path: file, reason: 'known' };
  const { written } = applyKnownFailures(judgement(), { baseline: null, write }, { isRun: true });
  expect(written).toMatchObject({
    entries: 2,
    failures: 1,
    undecided: 1,
    left: [{ id: 'chat.busy', kind: 'capacity' }],
  });
  expect(readBaseline(readFileSync(file, 'utf8'), file).known.map(({ id }) => id)).not.toContain('chat.busy');
});

test('an entry for a failure stays where the service had no capacity to show it again', () => {
  const entry = { id: 'chat.busy', signatures: ['abc'], reason: 'old', link: null, expires: null };
  const known = { baseline: { format: 1, known: [entry] }, write: { path: file, reason: 'new' } } as const;
  applyKnownFailures(judgement(), known, { isRun: true });
  expect(readBaseline(readFileSync(file, 'utf8'), file).known).toContainEqual(entry);
});
