// Targets that refuse valid requests for no reason in these: the diagnosis says when they refuse, and names no wrong cause.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { modelRoles } from '../reference/model/catalogue.ts';
import { startReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { type ArrivedRequest, refusingService } from './testing/refusing-service.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-refusing-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Milliseconds before the service answers. */
const LATENCY = 25;

async function reportOf(name: string, rule: (arrival: ArrivedRequest) => boolean, ...flags: string[]) {
  const dir = join(folder, name);
  const reference = await startReference({ pace: 5 });
  const target = await refusingService(reference.url, rule, LATENCY);
  const roles = Object.entries(modelRoles).flatMap(([role, model]) => ['--model', `${role}=${model}`]);
  const where = ['--base-url', target.url, '--claim', 'chat,completions', ...roles];
  const { code, stdout } = await runAssay([
    'run',
    ...where,
    '--report',
    'terminal,json',
    '--report-dir',
    dir,
    ...flags,
  ]);
  await Promise.all([target.close(), reference.close()]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  return { code, stdout, causes: (report.diagnoses ?? []).map(({ message }) => message), report };
}

test('everything', async () => {
  const { code, stdout, causes, report } = await reportOf('everything', () => true);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses every request: (\d+) of \1; none shows that the key, the models and the files are good$/,
    ),
  ]);
  // Nothing shows that the requests are good, so the cause breaks nothing itself.
  expect(
    report.requirements.filter(({ id, verdict }) => id.endsWith(':accepts') && verdict === 'fail'),
  ).toEqual([]);
  expect(stdout.match(/^FAIL {2}.*/gm)).toEqual(['FAIL  createChatCompletion:accepts#everything']);
});

test('every third request', async () => {
  const { code, causes } = await reportOf('third', ({ ordinal }) => ordinal > 3 && ordinal % 3 === 0);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(/^refuses 1 of 3 at random: \d+ of \d+ requests, equal ones among them$/),
  ]);
});

// Service and client count the requests under way at different instants: on a slow machine too many of them differ to distinguish
// load from chance. No property of the requests may be named.
test('under load alone', async () => {
  const { code, causes } = await reportOf('load', ({ beside }) => beside >= 1, '--concurrency', '2');
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses (requests while [14] or more others are under way: \d+ of \d+ requests with it, \d+ of \d+ without|\d+ of \d+ at random: \d+ of \d+ requests, .*)$/,
    ),
  ]);
});

// Equal requests that overlap have no order, so some of them may be counted on the other side.
test('each request that was sent before', async () => {
  const { code, causes } = await reportOf('again', ({ isRepeated, ordinal }) => ordinal > 3 && isRepeated);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses a request that was sent before: \d+ of \d+ requests with it, \d+ of \d+ without$/,
    ),
  ]);
});
