import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { ArrivedRequest, OwnAnswer } from './testing/answering-proxy.ts';
import { MODEL_FLAGS, readReportIn, setUpJudgedReference } from './testing/judged-reference.ts';

const { judgeBehind } = setUpJudgedReference();

const LATENCY_MS = 25;

interface Arrival {
  /** Counted from 1. */
  readonly ordinal: number;
  readonly isRepeated: boolean;
  /** Number of requests that were already in flight. */
  readonly inFlight: number;
}

function refuseBy(rule: (arrival: Arrival) => boolean) {
  const seen = new Set<string>();
  const counts = { arrived: 0, inFlight: 0 };
  return async (
    { method, target, body }: ArrivedRequest,
    outgoing: ServerResponse,
  ): Promise<OwnAnswer | null> => {
    const fingerprint = `${method} ${target} ${body}`;
    counts.arrived += 1;
    const arrival = { ordinal: counts.arrived, isRepeated: seen.has(fingerprint), inFlight: counts.inFlight };
    seen.add(fingerprint);
    counts.inFlight += 1;
    outgoing.on('close', () => (counts.inFlight -= 1));
    const isRefused = rule(arrival);
    // If a refusal took no time, the service would count fewer requests in flight than the client.
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    return isRefused ? { status: 400 } : null;
  };
}

async function judgeRefusals(rule: (arrival: Arrival) => boolean, ...flags: readonly string[]) {
  const runFlags = ['--claim', 'chat,completions', ...MODEL_FLAGS, '--report', 'terminal,json', ...flags];
  const { code, stdout, dir } = await judgeBehind(refuseBy(rule), runFlags);
  const report = readReportIn(dir);
  return { code, stdout, causes: (report.diagnoses ?? []).map(({ message }) => message), report };
}

// Nothing shows that the requests are valid, so no requirement fails: the refused base requests block them.
test('for a target that refuses everything, no requirement fails and the refused base request is named', async () => {
  const { code, stdout, causes, report } = await judgeRefusals(() => true);
  expect(code).toBe(2);
  expect(causes).toEqual([]);
  expect(report.requirements.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  expect(stdout).toMatch(
    /\d+ requirements blocked by (?:exchange|\d+ exchanges, the first) e\d+: the base request POST \/v1\/chat\/completions is refused: 400 No\.$/m,
  );
  expect(stdout).toContain('claimed, but never exercised: createChatCompletion');
});

// The order depends on concurrency, so slightly more or fewer than a third of the valid requests are refused.
test('a target that refuses every third request is said to refuse at random', async () => {
  const { code, causes } = await judgeRefusals(({ ordinal }) => ordinal > 3 && ordinal % 3 === 0);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(/^refuses 1 of [34] at random: \d+ of \d+ requests, equal ones among them$/),
  ]);
});

// Service and client count requests in flight at different instants: on a slow machine, load cannot always be
// distinguished from chance. But no property of the requests may be named.
test('a target that refuses only under load is said to refuse under load or at random', async () => {
  const { code, causes } = await judgeRefusals(({ inFlight }) => inFlight >= 1, '--concurrency', '2');
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses (requests while [14] or more others are in flight: \d+ of \d+ requests with it, \d+ of \d+ without|\d+ of \d+ at random: \d+ of \d+ requests, .*)$/,
    ),
  ]);
});

// Equal requests that overlap have no order, so some may be counted on the other side.
test('a target that refuses each repeated request is said to refuse repeated requests', async () => {
  const { code, causes } = await judgeRefusals(({ isRepeated, ordinal }) => ordinal > 3 && isRepeated);
  expect(code).toBe(1);
  expect(causes).toEqual([
    expect.stringMatching(
      /^refuses a request that was sent before: \d+ of \d+ requests with it, \d+ of \d+ without$/,
    ),
  ]);
});
