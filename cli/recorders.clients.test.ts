import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { readReportIn } from './testing/judged-reference.ts';
import {
  CHROMIUM,
  HAS_MITMPROXY,
  recordWithAssay,
  recordWithMitmproxy,
  recordWithNock,
  recordWithPlaywright,
  recordWithPolly,
  type SessionRecorder,
} from './testing/recorders/recorders.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-recorders-'));
let reference: Reference;
/** A service with one defect, which every recording must show. */
let service: TestUpstream;
let known: ReadonlyMap<string, string>;

beforeAll(async () => {
  reference = await serveReference();
  service = await startBreakingProxy(reference.url, [
    { operation: 'createModeration', pointer: '/results/0/flagged', value: 'no' },
  ]);
  known = await judgeRecording('assay', recordWithAssay);
});
afterAll(async () => {
  await service.close();
  await reference.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the verdicts on a recording of the session, without those that are untested. */
async function judgeRecording(name: string, record: SessionRecorder): Promise<ReadonlyMap<string, string>> {
  const own = join(folder, name);
  mkdirSync(own);
  const path = await record(service.url, own);
  const dir = join(folder, `${name}-report`);
  await runAssay(['check', path, '--report', 'json', '--report-dir', dir]);
  return new Map(
    readReportIn(dir)
      .requirements.filter(({ verdict }) => verdict !== 'untested')
      .map(({ id, verdict }) => [id, verdict]),
  );
}

const listNotPassed = (verdicts: ReadonlyMap<string, string>) =>
  [...verdicts].filter(([, verdict]) => verdict !== 'pass').map(([id]) => id);

test('the cassette shows the defect and no other', () => {
  expect(listNotPassed(known)).toEqual(['moderation:results[].flagged#type']);
  expect(known.size).toBeGreaterThan(500);
});

interface RecorderCase {
  readonly name: string;
  readonly record: SessionRecorder;
  readonly isInstalled: boolean;
  /** The share of the cassette's verdicts that the recording must give as well, from 0 to 1. */
  readonly share: number;
}

describe.each<RecorderCase>([
  { name: 'Playwright', record: recordWithPlaywright, isInstalled: CHROMIUM !== undefined, share: 0.9 },
  { name: 'Polly.js', record: recordWithPolly, isInstalled: true, share: 0.8 },
  { name: 'mitmproxy', record: recordWithMitmproxy, isInstalled: HAS_MITMPROXY, share: 0.9 },
  // nock records no times, so requirements on order are not judged for it.
  { name: 'nock', record: recordWithNock, isInstalled: true, share: 0.9 },
])('a recording by $name', ({ name, record, isInstalled, share }) => {
  test.runIf(isInstalled)('gives the same failures as the cassette, and most of its verdicts', async () => {
    const verdicts = await judgeRecording(name, record);
    expect(listNotPassed(verdicts)).toEqual(listNotPassed(known));
    const lacking = [...known.keys()].filter((id) => !verdicts.has(id));
    expect(lacking.length, lacking.join('\n')).toBeLessThan(known.size * (1 - share));
  });
});
