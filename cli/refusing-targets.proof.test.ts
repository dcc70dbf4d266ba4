import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { modelRoles } from '../reference/model/catalogue.ts';
import { serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { startAnsweringProxy } from './testing/answering-proxy.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-refusing-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LATENCY_MS = 25;

interface Arrival {
  /** Counted from 1. */
  readonly ordinal: number;
  readonly isRepeated: boolean;
  /** Requests that were already in flight. */
  readonly inFlight: number;
}

async function startRefusingService(upstream: string, rule: (arrival: Arrival) => boolean) {
  const seen = new Set<string>();
  const counts = { arrived: 0, inFlight: 0 };
  return startAnsweringProxy(upstream, async ({ method, target, body }, outgoing) => {
    const fingerprint = `${method} ${target} ${body}`;
    counts.arrived += 1;
    const arrival = { ordinal: counts.arrived, isRepeated: seen.has(fingerprint), inFlight: counts.inFlight };
    seen.add(fingerprint);
    counts.inFlight += 1;
    outgoing.on('close', () => (counts.inFlight -= 1));
    const isRefused = rule(arrival);
    // Models take time even to refuse; otherwise the load of the service would differ from that of the client.
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    return isRefused ? { status: 400 } : null;
  });
}

async function judgeRefusals(name: string, rule: (arrival: Arrival) => boolean, ...flags: string[]) {
  const dir = join(folder, name);
  const reference = await serveReference({ pace: 5 });
  const target = await startRefusingService(reference.url, rule);
  const roles = Object.entries(modelRoles).flatMap(([role, model]) => ['--model', `${role}=${model}`]);
  const targetFlags = ['--base-url', target.url, '--claim', 'chat,completions', ...roles];
  const reportFlags = ['--report', 'terminal,json', '--report-dir', dir];
  try {
    const { code, stdout } = await runAssay(['run', ...targetFlags, ...reportFlags, ...flags]);
    // as: its schema is tested elsewhere
    const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
    return { code, stdout, causes: (report.diagnoses ?? []).map(({ message }) => message), report };
  } finally {
    await Promise.all([target.close(), reference.close()]);
  }
}

// Nothing shows that the requests are valid, so no requirement fails: the base requests block the others.
test('for a target that refuses everything, no requirement fails and the refused base request is named', async () => {
  const { code, stdout, causes, report } = await judgeRefusals('everything', () => true);
  expect(code).toBe(2);
  expect(causes).toEqual([]);
  expect(report.requirements.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  expect(stdout).toMatch(
    /\d+ requirements blocked by (?:exchange|\d+ exchanges, the first) e\d+: the base request POST \/v1\/chat\/completions is refused: 400 No\.$/m,
  );
  expect(stdout).toContain('claimed, but never exercised: createChatCompletion');
});

// The order depends on concurrency, so slightly more or fewer than a third of 250 valid requests are refused.
test('a target that refuses every third request is said to refuse at random', async () => {
  const { code, causes } = await judgeRefusals('third', ({ ordinal }) => ordinal > 3 && ordinal % 3 === 0);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(/^refuses 1 of [34] at random: \d+ of \d+ requests, equal ones among them$/),
  ]);
});

// Service and client count requests in flight at different instants: on a slow machine, load cannot always be
// distinguished from chance. But no property of the requests may be named.
test('a target that refuses only under load is said to refuse under load or at random', async () => {
  const { code, causes } = await judgeRefusals('load', ({ inFlight }) => inFlight >= 1, '--concurrency', '2');
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses (requests while [14] or more others are in flight: \d+ of \d+ requests with it, \d+ of \d+ without|\d+ of \d+ at random: \d+ of \d+ requests, .*)$/,
    ),
  ]);
});

// Equal requests that overlap have no order, so some may be counted on the other side.
test('a target that refuses each repeated request is said to refuse repeated requests', async () => {
  const { code, causes } = await judgeRefusals(
    'again',
    ({ isRepeated, ordinal }) => ordinal > 3 && isRepeated,
  );
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses a request that was sent before: \d+ of \d+ requests with it, \d+ of \d+ without$/,
    ),
  ]);
});
