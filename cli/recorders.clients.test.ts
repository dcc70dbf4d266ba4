import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
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
/** The service has one defect, which every recording must show. */
let service: TestUpstream;
let known: ReadonlyMap<string, string>;

beforeAll(async () => {
  reference = await serveReference();
  service = await startBreakingProxy(reference.url, [
    { operation: 'createModeration', pointer: '/results/0/flagged', value: 'no' },
  ]);
  known = await verdictsOf('assay', recordWithAssay);
});
afterAll(async () => {
  await service.close();
  await reference.close();
  rmSync(folder, { recursive: true, force: true });
});

async function verdictsOf(name: string, record: SessionRecorder): Promise<ReadonlyMap<string, string>> {
  const own = join(folder, name);
  mkdirSync(own);
  const path = await record(service.url, own);
  const dir = join(folder, `${name}-report`);
  await runAssay(['check', path, '--report', 'json', '--report-dir', dir]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  return new Map(
    report.requirements
      .filter(({ verdict }) => verdict !== 'untested')
      .map(({ id, verdict }) => [id, verdict]),
  );
}

const broken = (verdicts: ReadonlyMap<string, string>) =>
  [...verdicts].filter(([, verdict]) => verdict !== 'pass').map(([id]) => id);

test('the cassette shows the defect and nothing else', () => {
  expect(broken(known)).toEqual(['moderation:results[].flagged#type']);
  expect(known.size).toBeGreaterThan(500);
});

describe.each<{ name: string; record: SessionRecorder; isThere: boolean; share: number }>([
  { name: 'Playwright', record: recordWithPlaywright, isThere: CHROMIUM !== undefined, share: 0.9 },
  { name: 'Polly.js', record: recordWithPolly, isThere: true, share: 0.8 },
  { name: 'mitmproxy', record: recordWithMitmproxy, isThere: HAS_MITMPROXY, share: 0.9 },
  // nock records no times, so requirements on order are not judged.
  { name: 'nock', record: recordWithNock, isThere: true, share: 0.9 },
])('a recording of $name', ({ name, record, isThere, share }) => {
  test.runIf(isThere)('gets the same failures, and most of the verdicts', async () => {
    const verdicts = await verdictsOf(name, record);
    expect(broken(verdicts)).toEqual(broken(known));
    const lacking = [...known.keys()].filter((id) => !verdicts.has(id));
    expect(lacking.length, lacking.join('\n')).toBeLessThan(known.size * (1 - share));
  });
});
